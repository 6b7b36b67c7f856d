/// `{"from":0,"count":120}`, or `{"ids":["…"]}`.
extension ListRun: PayloadValue where Element: PayloadValue {
  public static var schema: JSONValue {
    let new = Payload(Member("ids") { (ids: [Element]) in ids }, make: { $0 })
    return .members(["anyOf": .array([CopyRun.payload.schema, new.schema])])
  }

  public static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> ListRun {
    guard value["ids"] != nil else {
      let kept = try CopyRun.read(value)
      return .kept(from: kept.from, count: kept.count)
    }
    var data = try PayloadReader(value, path: "")
    let ids: [Element] = try data.value("ids")
    try data.finish()
    return .new(ids)
  }

  public func write(to data: inout PayloadWriter) {
    switch self {
    case .kept(let from, let count): CopyRun(from: from, count: count).write(to: &data)
    case .new(let ids): data.object { $0.value("ids", ids) }
    }
  }
}

private struct CopyRun: PayloadObject {
  var from: Int64
  var count: Int64

  static let payload = Payload(
    Member("from", \Self.from), Member("count", \.count), make: Self.init)
}
