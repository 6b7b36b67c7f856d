package import CatalogModel
package import Projections

/// The rows of a document, checked whole, with what its reader found out about it.
package struct TableDocument {
  /// The name of the source in errors and reports.
  package var source: String
  /// Bytes of the source as it lies on the disk, their SHA-256, and when they were changed last.
  package var size: Int
  package var sha256: String
  package var modified: Timestamp?
  /// `CSV, ; windows-1252`, for people.
  package var format: String
  /// The format of a database.
  package static let databaseFormat = "SQLite"
  /// The rows of each table that the document fills.
  package var tables: [DocumentRows]
  /// Whether the document has all rows of its tables, or of the scope.
  package var isComplete: Bool
  /// Values that all rows have, if the document is of a part of its table.
  package var scope: [Scope]
  /// Whether the last row of CSV or JSON Lines ends with a line end; nil if the document is one JSON value.
  package var endsWithLineEnd: Bool?
  /// Rows that were left as they are.
  package var setAside: [SetAside] = []
  /// Names of columns and members that were passed over, with how many times each was there.
  package var passedOver: [String: Int] = [:]
  /// Columns of tables that the document does not have, and that stay as they are: `products.note`.
  package var absentColumns: [String] = []
  /// Sentences about what was found out and should be looked at.
  package var notes: [String] = []

  /// A value of a column that all rows of a document have.
  package struct Scope: Hashable, Sendable {
    package var column: String
    package var value: Value

    package init(column: String, value: Value) {
      self.column = column
      self.value = value
    }
  }

  /// A row of a document that changes nothing, not even by its absence.
  package struct SetAside: Hashable, Sendable {
    package var table: String
    /// Its line, from 1.
    package var line: Int
    /// `it has 9 values, the header 8`
    package var reason: String
    /// The packed key; nil if it could not be read.
    var key: [UInt8]?
  }
}

/// The faults of a document: the first ten, and how many there are.
struct TableFaults {
  private(set) var first: [DocumentError] = []
  private(set) var count = 0

  /// - Parameter fault: called if the fault is listed.
  mutating func add(_ fault: () -> DocumentError) {
    count += 1
    if first.count < DocumentError.listLimit { first.append(fault()) }
  }

  /// Adds advice to the first fault that is a key which is there twice.
  mutating func adviseFirstDuplicate(_ advice: String) {
    guard let place = first.firstIndex(where: { $0.code == .duplicateValue && $0.advice == nil })
    else { return }
    first[place].advice = advice
  }

  /// The error of all faults; nil if there are none.
  var error: DocumentError? {
    guard var error = DocumentError(joining: first) else { return nil }
    error.unlistedFaults = count - first.count
    return error
  }
}

/// The choices of a caller for one reading of a document.
package struct TableDocumentRequest: Sendable {
  /// Whether the document has all rows of its tables; nil if the description decides.
  package var isComplete: Bool?
  /// Texts of columns that all rows of the document have: `vendor` and `Ferrum`.
  package var scope: [(column: String, text: String)] = []
  /// Options in the place of those of the description.
  package var csv: CSVOptions?
  /// Whether the last document that was read in the same way ended with a line end. One that does not may be cut then, also within its
  /// last value.
  package var expectsLineEnd = false
  package var words = DocumentWords()

  package init() {}
}
