import CatalogModel
import Projections

extension Value {
  /// As SQL writes it.
  var literal: String {
    switch self {
    case .null: "NULL"
    case .integer(let integer): String(integer)
    case .real(let real): String(real)
    case .text(let text): "'\(text.replacing("'", with: "''"))'"
    case .id(let id): "'\(id)'"
    case .time(let time): "'\(time)'"
    case .blob(let bytes): "x'\(Hex.string(bytes))'"
    }
  }
}
