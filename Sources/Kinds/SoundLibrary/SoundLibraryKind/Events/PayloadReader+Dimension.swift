import CatalogModel

extension PayloadReader {
  mutating func dimension(_ key: String) throws(Problem) -> TagDimension {
    let text = try string(key)
    guard let dimension = TagDimension.named(text) else {
      throw Problem(
        path: "\(path).\(key)", message: "\"\(JSONExcerpt.printable(text))\" is not a dimension")
    }
    return dimension
  }
}
