import CatalogModel
import Foundation
import Projections

/// Names that columns, or tables, can have, for those of a header or a database: `GICS Sector` is `GICS_Sector`.
struct ColumnNames {
  private var names: [String: String] = [:]

  init(_ headers: [String]) { self.init(headers, of: "column") }

  init(tables: [String]) { self.init(tables, of: "table") }

  private init(_ headers: [String], of what: String) {
    // Names that need no change come first: no other one takes them.
    var taken: Set<String> = []
    for header in headers
    where Self.isName(header, of: what) && taken.insert(header.lowercased()).inserted {
      names[header] = header
    }
    for header in headers where names[header] == nil {
      let plain = Self.plain(header, of: what)
      var name = plain
      var number = 2
      while !taken.insert(name.lowercased()).inserted {
        name = "\(plain)_\(number)"
        number += 1
      }
      names[header] = name
    }
  }

  subscript(header: String) -> String { names[header] ?? header }

  private static func isName(_ name: String, of what: String) -> Bool {
    SQLName.isFree(name) && name.utf8.count <= DescriptionParser.nameLimit
      && !SQLName.isRowID(name) && !name.hasPrefix("_")
      && !(what == "table" && name.lowercased().hasPrefix("projection_"))
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
