import Foundation

/// The query of an address: names with values, in their order.
struct InspectorQuery: Sendable {
  /// A value that is not what its name wants.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let items: [(name: String, value: String)]

  /// Reads `sql=SELECT+1&at=3533`, as a form sends it. A part that is not UTF-8 is read as if it were empty.
  init(_ text: String) {
    items = text.split(separator: "&").map { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ text: Substring?) -> String {
        // A form sends the ends of lines as CR and LF.
        ((text ?? "").replacing("+", with: " ").removingPercentEncoding ?? "")
          .replacingOccurrences(of: "\r\n", with: "\n")
      }
      return (decoded(pair.first), decoded(pair.dropFirst().first))
    }
  }

  /// - Throws: `Problem` if a value has a NUL, at which SQLite would cut it.
  func requireWhole() throws {
    for (name, value) in items where value.utf8.contains(0) {
      throw Problem(description: "\(name) has a NUL character; leave it out")
    }
  }

  /// The last value of a name; nil if there is none, or if it is empty.
  subscript(name: String) -> String? {
    items.last { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }

  /// All values of a name, in their order.
  func all(_ name: String) -> [String] { items.filter { $0.name == name }.map(\.value) }

  /// An address of the inspector.
  ///
  /// - Parameter items: those with a nil value are left out.
  static func address(_ path: String, _ items: [(String, String?)]) -> String {
    let parts = items.compactMap { name, value in
      value.map { "\(encoded(name))=\(encoded($0))" }
    }
    return parts.isEmpty ? path : path + "?" + parts.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }

  private static let unreserved = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
}
