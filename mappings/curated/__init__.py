"""Our own tables under data/curated/."""
