// An embedder writes `import Catalog` and has the types of its results: items, filters, facets, times
// and errors live in the targets below the front door.
@_exported public import CatalogModel
@_exported public import CatalogStore
