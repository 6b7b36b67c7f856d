import CatalogModel

extension CanonicalWriter {
  mutating func payload(_ data: ManifestApplied) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"version\":")
    integer(data.version)
    raw(",\"sha256\":")
    string(data.sha256)
    raw(",\"totalBytes\":")
    integer(data.totalBytes)
    raw(",\"assets\":")
    integer(data.assets)
    raw(",\"tags\":")
    tags(data.tags)
    raw("}")
  }

  mutating func payload(_ data: PackDownloadStarted) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"version\":")
    integer(data.version)
    raw(",\"bytesTotal\":")
    integer(data.bytesTotal)
    raw(",\"bytesDownloaded\":")
    integer(data.bytesDownloaded)
    raw("}")
  }

  mutating func payload(_ data: PackDownloadProgressed) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"bytesDownloaded\":")
    integer(data.bytesDownloaded)
    raw("}")
  }

  mutating func payload(_ data: PackDownloadCompleted) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"version\":")
    integer(data.version)
    raw(",\"bytesTotal\":")
    integer(data.bytesTotal)
    raw(",\"assets\":[")
    for (index, asset) in data.assets.enumerated() {
      if index > 0 { raw(",") }
      self.asset(asset)
    }
    raw("]}")
  }

  private mutating func asset(_ data: PackDownloadCompleted.Asset) {
    raw("{\"asset\":")
    id(data.asset)
    raw(",\"item\":")
    id(data.item)
    raw(",\"url\":")
    string(data.url)
    raw(",\"path\":")
    string(data.path)
    raw(",\"etag\":")
    string(data.etag)
    raw(",\"sha256\":")
    string(data.sha256)
    raw(",\"bytes\":")
    integer(data.bytes)
    raw(",\"codec\":")
    string(data.codec)
    raw(",\"sampleRate\":")
    integer(data.sampleRate)
    raw(",\"channels\":")
    integer(data.channels)
    raw(",\"loopable\":")
    bool(data.isLoopable)
    raw("}")
  }

  mutating func payload(_ data: PackDownloadFailed) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"error\":")
    string(data.error)
    raw(",\"resumable\":")
    bool(data.isResumable)
    raw("}")
  }

  mutating func payload(_ data: PackDownloadInterrupted) {
    raw("{\"pack\":")
    id(data.pack)
    raw(",\"error\":")
    string(data.error)
    raw("}")
  }

  mutating func payload(_ data: PackReference) {
    raw("{\"pack\":")
    id(data.pack)
    raw("}")
  }

  /// A tag set: dimensions in their order, names in theirs, no empty list.
  mutating func tags(_ set: TagSet) {
    raw("{")
    var open: TagDimension?
    set.forEachValue { dimension, name in
      if dimension == open {
        raw(",")
      } else {
        raw(open == nil ? "\"" : "],\"")
        bytes.append(contentsOf: dimension.keyBytes)
        raw("\":[")
        open = dimension
      }
      string(name)
    }
    raw(open == nil ? "}" : "]}")
  }
}
