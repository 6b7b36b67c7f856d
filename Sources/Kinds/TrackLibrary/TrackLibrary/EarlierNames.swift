// Names of 0.2, for one release.

@available(*, deprecated, renamed: "TrackQueries")
public typealias TrackCatalog = TrackQueries

@available(*, deprecated, renamed: "AlbumQueries")
public typealias AlbumCatalog = AlbumQueries

@available(*, deprecated, renamed: "SongQueries")
public typealias SongCatalog = SongQueries
