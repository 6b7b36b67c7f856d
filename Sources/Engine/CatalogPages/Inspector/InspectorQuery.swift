import EngineCommands
import Foundation

/// The query of an address: names with values, in their order.
struct InspectorQuery: Sendable {
  /// A value that is not what its name wants.
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  private let items: [(name: String, value: String)]

  /// Reads `sql=SELECT+1&at=3533`, as a form sends it.
  ///
  /// - Throws: `Problem` if a part is not UTF-8, or has a NUL, at which SQLite would cut it.
  init(_ text: String) throws {
    items = try text.split(separator: "&").map { part in
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      func decoded(_ text: Substring?) throws -> String {
        let words = (text ?? "").replacing("+", with: " ")
        guard let decoded = words.removingPercentEncoding, !decoded.utf8.contains(0) else {
          throw Problem(description: "\(part.prefix(80)) is not UTF-8, or has a NUL character")
        }
        // A form sends the ends of lines as CR and LF.
        return decoded.replacingOccurrences(of: "\r\n", with: "\n")
      }
      return (try decoded(pair.first), try decoded(pair.dropFirst().first))
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
