"""The IRIs we name: prefixes, terms and bases.

No other Python file holds an IRI. tests/test_vocab.py checks that, that every prefix line in a .ttl
or .rq file agrees with PREFIXES, and that RA lists exactly the terms of ontology/runatlas.ttl.
"""

from typing import Final

from pyoxigraph import NamedNode

BASE: Final = "https://w3id.org/runatlas/"
ID: Final = BASE + "id/"
GRAPH: Final = BASE + "graph/"
RULE: Final = BASE + "rule/"

PREFIXES: Final = {
    "cc0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "dcat": "http://www.w3.org/ns/dcat#",
    "dcterms": "http://purl.org/dc/terms/",
    "fair4ml": "https://w3id.org/fair4ml#",
    "formats": "http://www.w3.org/ns/formats/",
    "id": ID,
    "oa": "http://www.w3.org/ns/oa#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "pav": "http://purl.org/pav/",
    "prov": "http://www.w3.org/ns/prov#",
    "ra": BASE + "def#",
    "rash": BASE + "shape#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "rule": RULE,
    "schema": "https://schema.org/",
    "sd": "http://www.w3.org/ns/sparql-service-description#",
    "semapv": "https://w3id.org/semapv/vocab/",
    "sh": "http://www.w3.org/ns/shacl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "spdx": "http://spdx.org/rdf/terms#",
    "sssom": "https://w3id.org/sssom/",
    "vann": "http://purl.org/vocab/vann/",
    "void": "http://rdfs.org/ns/void#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}


def expand(curie: str) -> NamedNode:
    """Expand a CURIE such as ``ra:Product`` by PREFIXES."""
    prefix, _, local_name = curie.partition(":")
    return NamedNode(PREFIXES[prefix] + local_name)


ONTOLOGY_GRAPH: Final = NamedNode(GRAPH + "ontology")
CATALOG_GRAPH: Final = NamedNode(GRAPH + "catalog")
SOURCE_GRAPHS: Final = GRAPH + "source/"
CURATED_GRAPHS: Final = GRAPH + "curated/"
DERIVED_GRAPHS: Final = GRAPH + "derived/"
OVERLAY_GRAPHS: Final = GRAPH + "overlay/"
CC0: Final = NamedNode(PREFIXES["cc0"])
TEST_REPORT_SCHEMA: Final = BASE + "schema/test-report/1"


class DCAT:
    """Data Catalog Vocabulary 3."""

    Dataset = expand("dcat:Dataset")
    DatasetSeries = expand("dcat:DatasetSeries")
    Distribution = expand("dcat:Distribution")
    byteSize = expand("dcat:byteSize")
    distribution = expand("dcat:distribution")
    inSeries = expand("dcat:inSeries")
    version = expand("dcat:version")


class DCTERMS:
    """DCMI Metadata Terms."""

    creator = expand("dcterms:creator")
    date = expand("dcterms:date")
    description = expand("dcterms:description")
    isPartOf = expand("dcterms:isPartOf")
    issued = expand("dcterms:issued")
    license = expand("dcterms:license")
    publisher = expand("dcterms:publisher")
    source = expand("dcterms:source")
    title = expand("dcterms:title")


class FAIR4ML:
    """FAIR4ML 0.1.0."""

    MLModel = expand("fair4ml:MLModel")


class OA:
    """Web Annotation."""

    Annotation = expand("oa:Annotation")
    hasTarget = expand("oa:hasTarget")


class OWL:
    """OWL 2."""

    Ontology = expand("owl:Ontology")
    sameAs = expand("owl:sameAs")


class PAV:
    """Provenance, Authoring and Versioning 2.3."""

    sourceLastAccessedOn = expand("pav:sourceLastAccessedOn")


class PROV:
    """PROV-O."""

    Activity = expand("prov:Activity")
    Entity = expand("prov:Entity")
    Plan = expand("prov:Plan")
    generatedAtTime = expand("prov:generatedAtTime")
    used = expand("prov:used")
    wasDerivedFrom = expand("prov:wasDerivedFrom")
    wasGeneratedBy = expand("prov:wasGeneratedBy")


class RDF:
    """RDF 1.1."""

    type = expand("rdf:type")


class RDFS:
    """RDF Schema."""

    isDefinedBy = expand("rdfs:isDefinedBy")
    label = expand("rdfs:label")
    subClassOf = expand("rdfs:subClassOf")


class SCHEMA:
    """schema.org."""

    ProductModel = expand("schema:ProductModel")
    SoftwareApplication = expand("schema:SoftwareApplication")
    url = expand("schema:url")


class SEMAPV:
    """Semantic Mapping Vocabulary: the justifications that we use."""

    ManualMappingCuration = expand("semapv:ManualMappingCuration")


class SKOS:
    """Simple Knowledge Organization System."""

    Concept = expand("skos:Concept")
    ConceptScheme = expand("skos:ConceptScheme")
    altLabel = expand("skos:altLabel")
    broader = expand("skos:broader")
    definition = expand("skos:definition")
    exactMatch = expand("skos:exactMatch")
    inScheme = expand("skos:inScheme")
    notation = expand("skos:notation")
    prefLabel = expand("skos:prefLabel")
    scopeNote = expand("skos:scopeNote")


class SPDX:
    """Checksums, as DCAT 3 uses them."""

    Checksum = expand("spdx:Checksum")
    algorithm = expand("spdx:algorithm")
    checksum = expand("spdx:checksum")
    checksumAlgorithm_sha256 = expand("spdx:checksumAlgorithm_sha256")
    checksumValue = expand("spdx:checksumValue")


class SSSOM:
    """Simple Standard for Sharing Ontological Mappings."""

    Mapping = expand("sssom:Mapping")
    mapping_justification = expand("sssom:mapping_justification")
    object_id = expand("sssom:object_id")
    predicate_id = expand("sssom:predicate_id")
    subject_id = expand("sssom:subject_id")


class VOID:
    """Vocabulary of Interlinked Datasets."""

    Dataset = expand("void:Dataset")
    class_ = expand("void:class")
    classPartition = expand("void:classPartition")
    entities = expand("void:entities")
    subset = expand("void:subset")
    triples = expand("void:triples")


class XSD:
    """XML Schema datatypes."""

    anyURI = expand("xsd:anyURI")
    boolean = expand("xsd:boolean")
    date = expand("xsd:date")
    dateTime = expand("xsd:dateTime")
    hexBinary = expand("xsd:hexBinary")
    integer = expand("xsd:integer")
    string = expand("xsd:string")


class RA:
    """Our own terms, defined in ontology/runatlas.ttl."""

    # Classes
    AbsenceMeaning = expand("ra:AbsenceMeaning")
    Architecture = expand("ra:Architecture")
    ArchitectureKind = expand("ra:ArchitectureKind")
    AttestedForm = expand("ra:AttestedForm")
    AttestingParty = expand("ra:AttestingParty")
    Basis = expand("ra:Basis")
    Checkpoint = expand("ra:Checkpoint")
    CompatibilityInference = expand("ra:CompatibilityInference")
    Component = expand("ra:Component")
    ConfigurationCell = expand("ra:ConfigurationCell")
    CuratedRow = expand("ra:CuratedRow")
    Deployment = expand("ra:Deployment")
    Document = expand("ra:Document")
    DocumentKind = expand("ra:DocumentKind")
    EngineSupport = expand("ra:EngineSupport")
    Evidence = expand("ra:Evidence")
    EvidenceLevel = expand("ra:EvidenceLevel")
    EvidenceType = expand("ra:EvidenceType")
    Exclusion = expand("ra:Exclusion")
    ExclusionKind = expand("ra:ExclusionKind")
    Family = expand("ra:Family")
    Feature = expand("ra:Feature")
    Generation = expand("ra:Generation")
    InferenceGrant = expand("ra:InferenceGrant")
    InferenceScope = expand("ra:InferenceScope")
    Integration = expand("ra:Integration")
    LevelDefinition = expand("ra:LevelDefinition")
    Maturity = expand("ra:Maturity")
    Modality = expand("ra:Modality")
    ModelLabel = expand("ra:ModelLabel")
    ModelStatement = expand("ra:ModelStatement")
    Organisation = expand("ra:Organisation")
    Outcome = expand("ra:Outcome")
    Platform = expand("ra:Platform")
    Precision = expand("ra:Precision")
    PrecisionRole = expand("ra:PrecisionRole")
    Product = expand("ra:Product")
    ProductKind = expand("ra:ProductKind")
    QuantizationStatement = expand("ra:QuantizationStatement")
    Release = expand("ra:Release")
    RequirementReading = expand("ra:RequirementReading")
    RuntimeRequirement = expand("ra:RuntimeRequirement")
    Source = expand("ra:Source")
    SourceRelease = expand("ra:SourceRelease")
    SupportPath = expand("ra:SupportPath")
    TargetGranularity = expand("ra:TargetGranularity")
    TestRun = expand("ra:TestRun")
    Vendor = expand("ra:Vendor")

    # Models
    activeParameters = expand("ra:activeParameters")
    adapterOf = expand("ra:adapterOf")
    architecture = expand("ra:architecture")
    architectureKind = expand("ra:architectureKind")
    distilledFrom = expand("ra:distilledFrom")
    expertCount = expand("ra:expertCount")
    family = expand("ra:family")
    foldedLabel = expand("ra:foldedLabel")
    mergedFrom = expand("ra:mergedFrom")
    modality = expand("ra:modality")
    publisher = expand("ra:publisher")
    quantizedFrom = expand("ra:quantizedFrom")
    repositoryId = expand("ra:repositoryId")
    totalParameters = expand("ra:totalParameters")

    # A source's words about a model
    note = expand("ra:note")
    ofCheckpoint = expand("ra:ofCheckpoint")
    ofLabel = expand("ra:ofLabel")
    position = expand("ra:position")
    printedArchitecture = expand("ra:printedArchitecture")
    printedArchitectureKind = expand("ra:printedArchitectureKind")
    printedFamily = expand("ra:printedFamily")
    printedModality = expand("ra:printedModality")
    printedName = expand("ra:printedName")
    printedParameters = expand("ra:printedParameters")
    row = expand("ra:row")
    rowKey = expand("ra:rowKey")
    section = expand("ra:section")

    # Hardware and software
    contains = expand("ra:contains")
    featureKind = expand("ra:featureKind")
    integrates = expand("ra:integrates")
    ofComponent = expand("ra:ofComponent")
    ofGeneration = expand("ra:ofGeneration")
    ofPlatform = expand("ra:ofPlatform")
    partOf = expand("ra:partOf")
    productKind = expand("ra:productKind")
    vendor = expand("ra:vendor")
    version = expand("ra:version")
    versionOrdering = expand("ra:versionOrdering")

    # Support paths
    basis = expand("ra:basis")
    cell = expand("ra:cell")
    checkpoint = expand("ra:checkpoint")
    compileMode = expand("ra:compileMode")
    component = expand("ra:component")
    deployment = expand("ra:deployment")
    draftCheckpoint = expand("ra:draftCheckpoint")
    draftLabel = expand("ra:draftLabel")
    evidence = expand("ra:evidence")
    excludes = expand("ra:excludes")
    feature = expand("ra:feature")
    hardwareScope = expand("ra:hardwareScope")
    integration = expand("ra:integration")
    level = expand("ra:level")
    limitation = expand("ra:limitation")
    maturity = expand("ra:maturity")
    maxRelease = expand("ra:maxRelease")
    minRelease = expand("ra:minRelease")
    modelLabel = expand("ra:modelLabel")
    namesProduct = expand("ra:namesProduct")
    onGeneration = expand("ra:onGeneration")
    onPlatform = expand("ra:onPlatform")
    onProduct = expand("ra:onProduct")
    outcome = expand("ra:outcome")
    precision = expand("ra:precision")
    printedMode = expand("ra:printedMode")
    printedPrecision = expand("ra:printedPrecision")
    quantizationText = expand("ra:quantizationText")
    rawStatus = expand("ra:rawStatus")
    release = expand("ra:release")
    stackText = expand("ra:stackText")
    statementKey = expand("ra:statementKey")
    targetGranularity = expand("ra:targetGranularity")
    testedCheckpoint = expand("ra:testedCheckpoint")
    testedLabel = expand("ra:testedLabel")
    testedOnProduct = expand("ra:testedOnProduct")
    unstatedMode = expand("ra:unstatedMode")

    # Cells, deployments, exclusions
    cellHardware = expand("ra:cellHardware")
    cellPrecision = expand("ra:cellPrecision")
    cellRole = expand("ra:cellRole")
    command = expand("ra:command")
    deploymentUnit = expand("ra:deploymentUnit")
    deviceCount = expand("ra:deviceCount")
    exclusionKind = expand("ra:exclusionKind")
    exclusionText = expand("ra:exclusionText")
    excludesCheckpoint = expand("ra:excludesCheckpoint")
    excludesComponent = expand("ra:excludesComponent")
    excludesFeature = expand("ra:excludesFeature")
    excludesGeneration = expand("ra:excludesGeneration")
    excludesLabel = expand("ra:excludesLabel")
    excludesPrecision = expand("ra:excludesPrecision")
    excludesProduct = expand("ra:excludesProduct")
    flag = expand("ra:flag")
    nodeCount = expand("ra:nodeCount")
    parallelism = expand("ra:parallelism")
    topology = expand("ra:topology")

    # Test runs
    checkpointRevision = expand("ra:checkpointRevision")
    correctnessHolds = expand("ra:correctnessHolds")
    correctnessMethod = expand("ra:correctnessMethod")
    correctnessReference = expand("ra:correctnessReference")
    correctnessResult = expand("ra:correctnessResult")
    environmentText = expand("ra:environmentText")
    log = expand("ra:log")

    # Evidence and levels
    admitsAttester = expand("ra:admitsAttester")
    attestedForm = expand("ra:attestedForm")
    carriesForm = expand("ra:carriesForm")
    claim = expand("ra:claim")
    confinedToComponent = expand("ra:confinedToComponent")
    confinedToHardware = expand("ra:confinedToHardware")
    contentSha256 = expand("ra:contentSha256")
    definedLevel = expand("ra:definedLevel")
    definitionText = expand("ra:definitionText")
    document = expand("ra:document")
    documentKind = expand("ra:documentKind")
    evidenceType = expand("ra:evidenceType")

    # Engine support, requirements, derivations
    byRule = expand("ra:byRule")
    engine = expand("ra:engine")
    forCheckpoint = expand("ra:forCheckpoint")
    forFamily = expand("ra:forFamily")
    grants = expand("ra:grants")
    grantText = expand("ra:grantText")
    implementsArchitecture = expand("ra:implementsArchitecture")
    licence = expand("ra:licence")
    mayRunArchitecture = expand("ra:mayRunArchitecture")
    mayRunComponent = expand("ra:mayRunComponent")
    mayRunOnPlatform = expand("ra:mayRunOnPlatform")
    neededOn = expand("ra:neededOn")
    neededWith = expand("ra:neededWith")
    premise = expand("ra:premise")
    requirementReading = expand("ra:requirementReading")
    requiresSetting = expand("ra:requiresSetting")
    reviewedRule = expand("ra:reviewedRule")
    reviewedSubject = expand("ra:reviewedSubject")
    reviewedValue = expand("ra:reviewedValue")

    # Sources and curation
    absenceMeans = expand("ra:absenceMeans")
    curates = expand("ra:curates")
    fromOverlay = expand("ra:fromOverlay")
    justification = expand("ra:justification")
    lastReviewed = expand("ra:lastReviewed")
    licensesInference = expand("ra:licensesInference")
    mappingInUse = expand("ra:mappingInUse")
    ofSource = expand("ra:ofSource")
    readAs = expand("ra:readAs")
    readAsRole = expand("ra:readAsRole")
    readIn = expand("ra:readIn")
    rule = expand("ra:rule")
    schemaVersion = expand("ra:schemaVersion")
    scopeCompileMode = expand("ra:scopeCompileMode")
    scopeText = expand("ra:scopeText")
    token = expand("ra:token")
    variantWord = expand("ra:variantWord")

    # Levels
    DocumentedRecipe = expand("ra:DocumentedRecipe")
    IndependentlyTested = expand("ra:IndependentlyTested")
    IntegrationOnly = expand("ra:IntegrationOnly")
    UpstreamVerified = expand("ra:UpstreamVerified")
    VendorReported = expand("ra:VendorReported")

    # Facets of levels
    IndependentParty = expand("ra:IndependentParty")
    UpstreamParty = expand("ra:UpstreamParty")
    VendorParty = expand("ra:VendorParty")
    IntegrationForm = expand("ra:IntegrationForm")
    ListingForm = expand("ra:ListingForm")
    RecipeForm = expand("ra:RecipeForm")
    TestForm = expand("ra:TestForm")

    # Outcomes
    Failing = expand("ra:Failing")
    Limited = expand("ra:Limited")
    NegativeUnspecified = expand("ra:NegativeUnspecified")
    Planned = expand("ra:Planned")
    Supported = expand("ra:Supported")
    Unsupported = expand("ra:Unsupported")
    Untested = expand("ra:Untested")

    # Maturities
    Beta = expand("ra:Beta")
    Deprecated = expand("ra:Deprecated")
    Experimental = expand("ra:Experimental")
    MaturityUnstated = expand("ra:MaturityUnstated")
    Preview = expand("ra:Preview")
    Stable = expand("ra:Stable")

    # Bases
    BasisUnstated = expand("ra:BasisUnstated")
    ByParity = expand("ra:ByParity")
    Listed = expand("ra:Listed")
    Modelled = expand("ra:Modelled")
    Ran = expand("ra:Ran")

    # Kinds of document
    GuideDocument = expand("ra:GuideDocument")
    PageDocument = expand("ra:PageDocument")
    QuickStartDocument = expand("ra:QuickStartDocument")
    RecipeDocument = expand("ra:RecipeDocument")
    TableDocument = expand("ra:TableDocument")
    TutorialDocument = expand("ra:TutorialDocument")

    # Evidence types
    IndependentTestReport = expand("ra:IndependentTestReport")
    UpstreamDocs = expand("ra:UpstreamDocs")
    VendorDocs = expand("ra:VendorDocs")
    VendorReport = expand("ra:VendorReport")

    # Roles of a precision
    Compute = expand("ra:Compute")
    KVCache = expand("ra:KVCache")
    RoleUnstated = expand("ra:RoleUnstated")
    Weights = expand("ra:Weights")

    # Kinds of product
    Board = expand("ra:Board")
    Chip = expand("ra:Chip")
    Instance = expand("ra:Instance")
    Node = expand("ra:Node")

    # Kinds of exclusion
    OutOfScopeExclusion = expand("ra:OutOfScopeExclusion")
    TierDiffersExclusion = expand("ra:TierDiffersExclusion")
    UnsupportedExclusion = expand("ra:UnsupportedExclusion")

    # Modalities and kinds of architecture
    Audio = expand("ra:Audio")
    Embedding = expand("ra:Embedding")
    Text = expand("ra:Text")
    TextAndVision = expand("ra:TextAndVision")
    DenseDecoderOnly = expand("ra:DenseDecoderOnly")
    MixtureOfExperts = expand("ra:MixtureOfExperts")

    # What a statement is about, what absence means, what a source licenses
    ExactRepository = expand("ra:ExactRepository")
    ModelName = expand("ra:ModelName")
    AbsenceUnstated = expand("ra:AbsenceUnstated")
    Complete = expand("ra:Complete")
    RecommendedOnly = expand("ra:RecommendedOnly")
    Representative = expand("ra:Representative")
    NoInference = expand("ra:NoInference")
    SameArchitecture = expand("ra:SameArchitecture")

    # How a requirement was read
    AmbiguousReading = expand("ra:AmbiguousReading")
    StatedReading = expand("ra:StatedReading")

    # Concept schemes
    AbsenceMeanings = expand("ra:AbsenceMeanings")
    ArchitectureKinds = expand("ra:ArchitectureKinds")
    Architectures = expand("ra:Architectures")
    AttestedForms = expand("ra:AttestedForms")
    AttestingParties = expand("ra:AttestingParties")
    Bases = expand("ra:Bases")
    DocumentKinds = expand("ra:DocumentKinds")
    EvidenceLevels = expand("ra:EvidenceLevels")
    EvidenceTypes = expand("ra:EvidenceTypes")
    ExclusionKinds = expand("ra:ExclusionKinds")
    Families = expand("ra:Families")
    Features = expand("ra:Features")
    InferenceScopes = expand("ra:InferenceScopes")
    Maturities = expand("ra:Maturities")
    Modalities = expand("ra:Modalities")
    Outcomes = expand("ra:Outcomes")
    PrecisionRoles = expand("ra:PrecisionRoles")
    Precisions = expand("ra:Precisions")
    ProductKinds = expand("ra:ProductKinds")
    RequirementReadings = expand("ra:RequirementReadings")
    TargetGranularities = expand("ra:TargetGranularities")
