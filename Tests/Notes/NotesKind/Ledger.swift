package import CatalogEngine

/// A kind of catalog with one table, of which there are several versions of the program.
package struct Ledger: CatalogKind {
  package struct Account: Sendable, Equatable {
    package var number: Int
    package var balance: Int

    /// One column has the name that a history gives to one of its own.
    static let table = TypedTable(
      "account", key: ["number"], Field("number", \Account.number),
      Field("_to", \Account.balance), make: { Account(number: $0, balance: $1) })
  }

  /// An account gets a balance, or is closed.
  package struct Entry: Sendable, Equatable {
    package var account: Int
    package var balance: Int?

    package init(account: Int, balance: Int?) {
      self.account = account
      self.balance = balance
    }
  }

  package enum EntryType: String, EventTypeName {
    case made = "entry.made"
  }

  package let name = "ledger"
  package var version = 1
  /// The events after which this version writes other balances than the others do: greater by 1, but for 0.
  package var skewed: Range<UInt64> = 0..<0
  package let schema = Schema(Account.table)

  package init() {}

  package func type(of event: Entry) -> EntryType { .made }

  package func write(_ event: Entry, to data: inout PayloadWriter) {
    data.integer("account", Int64(event.account))
    data.integer("balance", Int64(event.balance ?? -1))
  }

  package func read(
    _ type: EntryType, from data: inout PayloadReader
  ) throws(PayloadReader.Problem) -> Entry {
    let account = Int(try data.int64("account"))
    let balance = Int(try data.int64("balance"))
    return Entry(account: account, balance: balance < 0 ? nil : balance)
  }

  package func apply(_ record: Recorded<Entry>, to rows: some RowStore) throws {
    guard let balance = record.event.balance else {
      return try rows.remove(of: Account.table, key: record.event.account)
    }
    try rows.put(
      Account(
        number: record.event.account, balance: self.balance(balance, at: record.sequence)),
      in: Account.table)
  }

  /// The balance that this version writes for one of an event.
  package func balance(_ balance: Int, at sequence: UInt64) -> Int {
    skewed.contains(sequence) && balance != 0 ? balance + 1 : balance
  }
}
