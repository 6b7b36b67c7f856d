/// An object of a document that is being written, without keys for what is not known.
///
/// ```swift
/// var book = DocumentObject()
/// book.add("title", "Dune")
/// book.add("pages", nil as Int64?)
/// book.value.description  // {"title":"Dune"}
/// ```
public struct DocumentObject {
  private var members: [JSONValue.Member] = []

  public init() {}

  /// The object with its members in the order in which they were added.
  public var value: JSONValue { .object(members) }

  public var isEmpty: Bool { members.isEmpty }

  public mutating func add(_ key: String, _ value: JSONValue) {
    members.append(JSONValue.Member(key: key, value: value))
  }

  public mutating func add(_ key: String, _ text: String?) {
    if let text { add(key, JSONValue.string(text)) }
  }

  public mutating func add(_ key: String, _ number: Int64?) {
    if let number { add(key, JSONValue.number("\(number)")) }
  }

  /// - Parameter number: a finite one.
  public mutating func add(_ key: String, _ number: Double?) {
    if let number { add(key, JSONValue.number("\(number)")) }
  }

  public mutating func add(_ key: String, _ flag: Bool?) {
    if let flag { add(key, JSONValue.bool(flag)) }
  }

  /// Adds an array, be it empty.
  public mutating func add(_ key: String, _ texts: [String]) {
    add(key, texts, JSONValue.string)
  }

  /// Adds an array, be it empty.
  public mutating func add<Element>(
    _ key: String, _ elements: [Element], _ value: (Element) -> JSONValue
  ) {
    add(key, JSONValue.array(elements.map(value)))
  }

  /// Adds an object with what a closure adds to it; no key if that is nothing.
  public mutating func add(_ key: String, _ fill: (inout DocumentObject) -> Void) {
    var object = DocumentObject()
    fill(&object)
    if !object.isEmpty { add(key, object.value) }
  }
}

extension JSONValue {
  /// Makes an object with what a closure adds to it.
  public static func object(_ fill: (inout DocumentObject) -> Void) -> JSONValue {
    var object = DocumentObject()
    fill(&object)
    return object.value
  }
}
