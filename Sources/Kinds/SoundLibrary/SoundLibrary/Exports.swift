@_exported public import CatalogEngine
@_exported public import CatalogModel
@_exported public import CatalogStore
@_exported public import Downloads

// An embedder writes `import SoundLibrary` and has the types of its results: items, filters, facets and times
// live in the targets below the front door. So do the errors of its calls, each of which a catch can name.
@_exported public import struct AppleMusic.AppleMusicError
@_exported public import struct EventLog.EventLogError
@_exported public import struct Projections.ProjectionError
