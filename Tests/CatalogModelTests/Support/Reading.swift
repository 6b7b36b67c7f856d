import CatalogModel

/// Reads with a reader over the bytes of a text.
func reading<Result>(
  _ text: String, _ body: (inout JSONReader) throws -> Result
) throws -> Result {
  try Array(text.utf8).withUnsafeBytes { bytes in
    var reader = JSONReader(bytes)
    return try body(&reader)
  }
}
