import ArgumentParser
import CatalogModel
import Foundation

/// The list in the JSON of a command, as lines or as a table.
struct JSONRows {
  private let value: JSONValue
  /// Nil if the value has no list, or several.
  private let list: [JSONValue]?
  /// The keys beside the list, whose values are in no line or row.
  private(set) var besides: [String] = []

  /// - Parameter isWhole: whether lists within it are parts of one answer.
  init(_ json: Data, isWhole: Bool = false) throws {
    value = try JSONValue.parse(Array(json))
    switch value {
    case _ where isWhole: list = nil
    case .array(let members): list = members
    case .object(let members):
      let lists = members.compactMap { member -> [JSONValue]? in
        guard case .array(let values) = member.value else { return nil }
        return values
      }
      list = lists.count == 1 ? lists[0] : nil
      if let list {
        besides = members.compactMap { member in
          switch member.value {
          case .array, .null: nil
          // The lines have it each for itself.
          case _ where !list.isEmpty && list.allSatisfy({ $0[member.key] != nil }): nil
          default: member.key
          }
        }
      }
    default: list = nil
    }
  }

  /// A line for each member of the list; the whole value in one line if it has no list.
  var lines: String { (list ?? [value]).map { $0.description + "\n" }.joined() }

  /// RFC 4180 with the keys of all members as the header. An absent key is an empty cell; a list or an object within a member
  /// is JSON in its cell.
  var csv: String {
    get throws {
      guard let rows = list ?? row else { throw Self.refusal }
      var columns: [String] = []
      var cells: [[String: JSONValue]] = []
      for row in rows {
        guard case .object(let members) = row else {
          throw Self.refusal
        }
        for member in members where !columns.contains(member.key) { columns.append(member.key) }
        cells.append(
          Dictionary(members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first }))
      }
      guard !rows.isEmpty else { return "" }
      return CSVOutput.line(columns)
        + cells.map { row in
          CSVOutput.line(columns.map { Self.cell(row[$0]) })
        }.joined()
    }
  }

  /// The value as the only row; nil if it has objects or lists within it.
  private var row: [JSONValue]? {
    guard case .object(let members) = value else { return nil }
    let isFlat = members.allSatisfy {
      switch $0.value {
      case .array, .object: false
      default: true
      }
    }
    return isFlat ? [value] : nil
  }

  static let refusal = ValidationError(
    "csv is for lists of rows, and this answer is not one: name --format json or jsonl")

  private static func cell(_ value: JSONValue?) -> String {
    switch value {
    case nil, .null: ""
    case .string(let text): text
    case let value?: value.description
    }
  }

}
