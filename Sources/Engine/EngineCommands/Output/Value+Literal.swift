import CatalogStore
import Projections

extension StoredValue {
  /// A projector's value, as SQLite stores it.
  init(_ value: Value) {
    self =
      switch value {
      case .null: .null
      case .integer(let integer): .integer(integer)
      case .real(let real): .real(real)
      case .text(let text): .text(text)
      case .id(let id): .text(id.description)
      case .time(let time): .text(time.description)
      case .blob(let bytes): .blob(Array(bytes))
      }
  }
}

extension Value {
  /// The value in SQL.
  var literal: String { StoredValue(self).description }
}
