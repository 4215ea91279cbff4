"""Map test reports: each is a path of its own, passed or failed, with its run and its log.

A run that passed, also with limits, stands as independently tested. That whoever ran it is not the
hardware's vendor, and that there is evidence of correctness, is for the shapes of rule R15 to say:
a mapper judges nobody. A run that failed is a path with the outcome failing and, like every
negative outcome, without a level (rule R07).
"""

from collections.abc import Iterator
from typing import Final

from pyoxigraph import Literal, NamedNode, Quad

from kg.iris import mint_checkpoint, mint_iri, mint_part
from kg.quads import describe
from kg.vocab import DCTERMS, OA, PAV, RA, RDF, SCHEMA, XSD
from mappings.addresses import mint_document
from mappings.curated.registry import PrecisionReading, StackPart, Status
from mappings.curated.tables import PRODUCT_KINDS, ROLES
from mappings.statements import (
    Placed,
    Release,
    checkpoint_quads,
    map_cell,
    map_path,
    map_stack,
)
from mappings.test_report.records import TestReport, TestReports

STATUSES: Final = {
    token: Status(token, outcome, level, RA.MaturityUnstated, RA.Ran)
    for token, outcome, level in (
        ("pass", RA.Supported, RA.IndependentlyTested),
        ("limited", RA.Limited, RA.IndependentlyTested),
        ("fail", RA.Failing, None),
    )
}

# What an outcome states, in words.
MEANINGS: Final = {
    "pass": "support, independently tested",
    "limited": "limited support, independently tested",
    "fail": "that it fails",
}


def unknown_names(document: TestReports, release: Release) -> Iterator[tuple[str, str]]:
    """Yield the pointer of each name that no curated table knows, and why."""
    registry = release.registry
    checks = [("/publisher", registry.organisations.fault("publisher", document.publisher))]
    for report in document.reports:
        at = report.pointer
        checks.append((f"{at}/product", registry.products.fault("product", report.product)))
        for index, part in enumerate(report.software):
            message = registry.components.fault("component", part.component)
            checks.append((f"{at}/software/{index}/component", message))
        for index, used in enumerate(report.precisions):
            message = registry.precision_ids.fault("precision", used.precision)
            checks.append((f"{at}/precisions/{index}/precision", message))
        for index, feature in enumerate(report.features):
            message = registry.feature_ids.fault("feature", feature)
            checks.append((f"{at}/features/{index}", message))
    yield from ((pointer, message) for pointer, message in checks if message)


def map_test_reports(document: TestReports, release: Release) -> Iterator[Placed]:
    """Map every report of a document in which ``unknown_names`` finds nothing."""
    publisher = release.registry.organisations[document.publisher]
    for report in document.reports:
        mapper = _ReportMapper(report, release, publisher)
        yield Placed(report.pointer, tuple(mapper.map_report()))


class _ReportMapper:
    """One report, and the IRIs of what it speaks of."""

    def __init__(self, report: TestReport, release: Release, publisher: NamedNode) -> None:
        self.report, self.release, self.publisher = report, release, publisher
        self.graph, self.registry = release.graph, release.registry
        self.path = release.mint("path", report.id)
        self.run = mint_part("deployment", self.path, "run")
        self.evidence = mint_part("evidence", self.path, "1")
        self.log = mint_iri("document", "sha256", report.log.sha256)
        labels = self.registry.components
        self.stack = " + ".join(f"{labels[p.component]} {p.version}" for p in report.software)

    def map_report(self) -> Iterator[Quad]:
        """State the path, then what stands behind it."""
        report = self.report
        parts = (StackPart(part.component, "exact", part.version) for part in report.software)
        yield from checkpoint_quads(self.graph, report.checkpoint)
        yield from map_path(self.release, (report.id,), STATUSES[report.outcome])
        yield from map_stack(self.release, self.path, self.stack, parts)
        yield from describe(
            self.graph,
            self.path,
            (RA.checkpoint, mint_checkpoint(report.checkpoint)),
            (RA.onPlatform, self.registry.product_platforms[report.product]),
            (RA.onProduct, self.registry.products[report.product]),
            (RA.hardwareScope, report.hardware),
            (RA.printedMode, report.features),
            (RA.feature, [self.registry.feature_ids[name] for name in report.features]),
            (RA.limitation, report.limitations),
            (RA.deployment, self.run),
            (RA.evidence, self.evidence),
        )
        yield from self._map_precisions()
        yield from self._map_run()
        yield from self._map_evidence()

    def _map_precisions(self) -> Iterator[Quad]:
        product = self.registry.products[self.report.product]
        for used in self.report.precisions:
            precision = self.registry.precision_ids[used.precision]
            said = ((RA.printedPrecision, used.precision), (RA.precision, precision))
            yield from describe(self.graph, self.path, *said)
            reading = PrecisionReading(precision, ROLES[used.role])
            yield from map_cell(self.graph, self.path, reading, product)

    def _map_run(self) -> Iterator[Quad]:
        report, correctness = self.report, self.report.correctness
        yield from describe(
            self.graph,
            self.run,
            (RDF.type, (RA.Deployment, RA.TestRun)),
            (RA.deviceCount, report.devices),
            (RA.deploymentUnit, PRODUCT_KINDS[report.unit]),
            (RA.nodeCount, report.nodes),
            (RA.parallelism, report.parallelism),
            (RA.command, report.command),
            (RA.checkpointRevision, report.revision),
            (RA.environmentText, report.environment),
            (RA.log, self.log),
            (DCTERMS.date, report.ran_at),
        )
        if correctness:
            holds = Literal(str(correctness.holds).lower(), datatype=XSD.boolean)
            yield from describe(
                self.graph,
                self.run,
                (RA.correctnessMethod, correctness.method),
                (RA.correctnessReference, correctness.reference),
                (RA.correctnessResult, correctness.result),
                (RA.correctnessHolds, holds),
            )

    def _map_evidence(self) -> Iterator[Quad]:
        """Cite the published report, or else the log; the log is always there, by its hash."""
        report, published = self.report, self.report.published
        document = mint_document(published.url) if published else self.log
        log_url = _address(report.log.url)
        url = _address(published.url) if published else log_url
        yield from describe(
            self.graph,
            self.evidence,
            (RDF.type, (RA.Evidence, OA.Annotation)),
            (OA.hasTarget, self.path),
            (RA.evidenceType, RA.IndependentTestReport),
            (RA.document, document),
            (SCHEMA.url, url),
            (DCTERMS.publisher, self.publisher),
            (DCTERMS.issued, published.published_at if published else None),
            (PAV.sourceLastAccessedOn, report.checked_at),
            (RA.claim, self._claim()),
        )
        yield from describe(
            self.graph,
            self.log,
            (RDF.type, RA.Document),
            (RA.contentSha256, report.log.sha256),
            (SCHEMA.url, log_url),
        )
        if published:
            said = ((RDF.type, RA.Document), (SCHEMA.url, url))
            yield from describe(self.graph, document, *said)

    def _claim(self) -> str:
        """Say what was run and found, in the report's own words for the hardware."""
        report = self.report
        model = f"{report.checkpoint} (revision {report.revision})"
        finding = f"{report.outcome}. {report.finding.rstrip('.')}."
        return f"{model} with {self.stack}: {finding} Hardware: {report.hardware}"


def _address(url: str | None) -> Literal | None:
    return Literal(url, datatype=XSD.anyURI) if url else None
