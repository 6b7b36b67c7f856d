import CatalogModel
package import CatalogStore
import EventLog
package import Projections

/// Gathers findings, a limited number of rows a table, and then the events behind them.
struct Findings {
  private(set) var all: [VerificationFinding] = []
  private(set) var unlisted = 0
  private let limit: Int
  private var listed: [String: Int] = [:]
  private var addresses: [Int: RowAddress] = [:]

  init(limit: Int) {
    self.limit = limit
  }

  mutating func add(_ subject: VerificationFinding.Subject, _ message: String) {
    all.append(VerificationFinding(subject: subject, message: message))
  }

  mutating func add(
    _ subject: VerificationFinding.Subject, _ name: String, _ difference: RowDifference,
    _ table: TableDescription
  ) {
    let message =
      switch difference.kind {
      case .missing: "\(difference.place) is missing in \(name)"
      case .unexpected: "\(difference.place) should not be in \(name)"
      case .changed(let column, let value, let expected):
        "\(difference.place) \(column) is \(value) in \(name), should be \(expected)"
      }
    guard listed["\(subject) \(table.name)", default: 0] < limit else {
      unlisted += 1
      return
    }
    listed["\(subject) \(table.name)", default: 0] += 1
    if let key = table.key(from: difference.key) {
      addresses[all.count] = RowAddress(table, key: key)
    }
    all.append(VerificationFinding(subject: subject, message: message, row: difference))
  }

  /// Names the event that last wrote each row, or the column that differs.
  mutating func attribute(to log: CatalogLog, through last: UInt64) throws {
    guard !addresses.isEmpty else { return }
    let writers = try LastWriters.find(Set(addresses.values), in: log, through: last)
    for (index, address) in addresses {
      let difference = all[index].row
      let place = difference?.changedColumn.flatMap { difference?.columns.firstIndex(of: $0) }
      all[index].event = writers[address]?.event(of: place)
    }
  }
}

extension Schema {
  /// The row of a table with stored key values; nil if there is no such table, or if no projector could write the values.
  func address(_ table: String, _ key: [StoredValue]) -> RowAddress? {
    guard let table = tables.first(where: { $0.name == table }), let key = table.key(from: key)
    else { return nil }
    return RowAddress(table, key: key)
  }
}

extension TableDescription {
  /// Stored key values as a projector writes them; nil if they are none that it could write.
  func key(from stored: [StoredValue]) -> [Value]? { values(from: stored, of: key) }

  /// A stored row as a projector writes it; nil if it is none that it could write.
  package func values(from stored: [StoredValue]) -> [Value]? {
    values(from: stored, of: Array(columns.indices))
  }

  private func values(from stored: [StoredValue], of places: [Int]) -> [Value]? {
    var values: [Value] = []
    for (column, value) in zip(places, stored) {
      switch (value, columns[column].type) {
      case (.null, _) where columns[column].isNullable: values.append(.null)
      case (.blob(let bytes), .blob), (.blob(let bytes), .any): values.append(.blob(bytes))
      case (.integer(let integer), .integer), (.integer(let integer), .any):
        values.append(.integer(integer))
      case (.real(let real), .real), (.real(let real), .any): values.append(.real(real))
      case (.text(let text), .text), (.text(let text), .any): values.append(.text(text))
      case (.text(let text), .id):
        guard let id = EntityID(text), id.description == text else { return nil }
        values.append(.id(id))
      case (.text(let text), .time):
        guard let time = Timestamp(text), time.description == text else { return nil }
        values.append(.time(time))
      default: return nil
      }
    }
    return values
  }
}
