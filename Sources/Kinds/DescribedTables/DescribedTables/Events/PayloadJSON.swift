import CatalogModel

/// Any JSON within a payload.
struct PayloadJSON: PayloadValue, Hashable {
  var json: JSONValue

  init(_ json: JSONValue) {
    self.json = json
  }

  static var schema: JSONValue { .object([]) }

  static func read(_ value: JSONValue) throws(PayloadReader.Problem) -> PayloadJSON {
    PayloadJSON(value)
  }

  func write(to data: inout PayloadWriter) {
    data.write { $0.value(json) }
  }
}

extension JSONValue {
  /// The value of a member as a log can hold it: one of the type `any` says of a text that it is no bytes.
  func loggable(_ type: DescribedType) -> JSONValue {
    if type == .any, case .string(let text) = self, !NormalForm.isNFC(text) {
      return .object([Member("text64", .string(Base64.text(Array(text.utf8))))])
    }
    return loggable
  }

  /// The value as a log can hold it: a text that is not in Unicode's normal form C is `{"base64": "…"}`.
  var loggable: JSONValue {
    switch self {
    case .string(let text) where !NormalForm.isNFC(text):
      .object([Member("base64", .string(Base64.text(Array(text.utf8))))])
    case .array(let elements): .array(elements.map(\.loggable))
    case .object(let members): .object(members.map { Member($0.key, $0.value.loggable) })
    default: self
    }
  }
}
