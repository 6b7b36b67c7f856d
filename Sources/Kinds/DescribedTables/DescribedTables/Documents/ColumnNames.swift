import CatalogModel
import Foundation
import Projections

/// Names that columns, or tables, can have, for those of a header or a database: `GICS Sector` is `GICS_Sector`.
struct ColumnNames {
  private var names: [String: String] = [:]

  /// - Parameter taken: names that others have already.
  init(_ headers: [String], besides taken: [String] = []) {
    self.init(headers, of: "column", besides: taken)
  }

  init(tables: [String], besides taken: [String] = []) {
    self.init(tables, of: "table", besides: taken)
  }

  private init(_ headers: [String], of what: String, besides names: [String]) {
    // Names that need no change come first: no other one takes them.
    var taken = Set(names.map { $0.lowercased() })
    for header in headers
    where Self.isName(header, of: what) && taken.insert(header.lowercased()).inserted {
      self.names[header] = header
    }
    for header in headers where self.names[header] == nil {
      let plain = Self.plain(header, of: what)
      var name = plain
      var number = 2
      while !taken.insert(name.lowercased()).inserted {
        name = "\(plain)_\(number)"
        number += 1
      }
      self.names[header] = name
    }
  }

  subscript(header: String) -> String { names[header] ?? header }

  private static func isName(_ name: String, of what: String) -> Bool {
    SQLName.isFree(name) && name.utf8.count <= DescriptionParser.nameLimit
      && !SQLName.isRowID(name) && !name.hasPrefix("_")
      && !(what == "table" && DescriptionParser.isOwnTable(name))
  }

  /// Letters that are not another one with an accent.
  private static let letters: [Unicode.Scalar: String] = [
    "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L",
    "đ": "d", "Đ": "D", "þ": "th", "Þ": "Th", "ı": "i",
  ]

  /// The letters of ASCII and the digits of a name, without accents, and `_` for what is between them.
  private static func plain(_ header: String, of what: String) -> String {
    var name = ""
    var isGap = false
    for scalar in header.decomposedStringWithCompatibilityMapping.unicodeScalars {
      if let letters = Self.letters[scalar] {
        name += (isGap && !name.isEmpty ? "_" : "") + letters
        isGap = false
        continue
      }
      guard scalar.isASCII, scalar.properties.isAlphabetic || UInt8(ascii: scalar).isASCIIDigit
      else {
        isGap = isGap || !scalar.properties.isDiacritic
        continue
      }
      if isGap, !name.isEmpty { name += "_" }
      isGap = false
      name.unicodeScalars.append(scalar)
    }
    name = String(name.prefix(DescriptionParser.nameLimit - 8))
    if name.first.map({ !$0.isLetter }) ?? true { name = "\(what)_" + name }
    if isName(name, of: what) { return name }
    return what == "table" ? "table_" + name : name + "_column"
  }
}
