import CatalogModel
import CatalogTestSupport
import Projections

/// Random batches of changes of the shelf's rows, which every store takes.
struct ShelfChanges {
  enum Change {
    case put([Value], TableDescription)
    case remove(key: [Value], TableDescription)

    func apply(to store: some RowStore) throws {
      switch self {
      case .put(let row, let table): try store.put(row, in: table)
      case .remove(let key, let table): try store.remove(key: key, from: table)
      }
    }
  }

  private var random: RandomRows
  private let model = MemoryRowStore(schema: ShelfTables.schema)

  init(seed: UInt64) {
    random = RandomRows(seed: seed, numbers: 40)
  }

  mutating func batches(_ count: Int) throws -> [[Change]] {
    try (0..<count).map { _ in
      try (0...Int.random(in: 0..<12, using: &random.random)).map { _ in try next() }
    }
  }

  /// Removes a row in one of five changes, if the table has rows.
  private mutating func next() throws -> Change {
    while true {
      guard let table = ShelfTables.schema.tables.randomElement(using: &random.random) else {
        preconditionFailure("a schema has tables")
      }
      if Int.random(in: 0..<5, using: &random.random) == 0 {
        guard let row = model.rows(in: table).randomElement(using: &random.random) else { continue }
        let change = Change.remove(key: table.key(of: row), table)
        try change.apply(to: model)
        return change
      }
      let row = random.row(of: table)
      guard random.isUnique(row, table, model) else { continue }
      let change = Change.put(row, table)
      try change.apply(to: model)
      return change
    }
  }
}
