// Names of 0.2, for one release.

@available(*, deprecated, renamed: "SoundLibrary")
public typealias SoundCatalog = SoundLibrary

@available(*, deprecated, renamed: "TagLint")
public typealias CatalogLint = TagLint
