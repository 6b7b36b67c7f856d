import CatalogStore

/// The statements that try whether columns of another program's database store the values of a script as they are.
///
/// SQLite makes a number of the text '5' in a column of numbers, and a text of the number 5 in a column of texts. The catalog does not
/// know how columns are declared, so that the script tries its values on an empty copy of the table.
struct StorageTrials {
  /// The values of one form that go into a column.
  private struct Trial {
    var values: [StoredValue] = []
    private var known: Set<StoredValue> = []

    mutating func add(_ value: StoredValue, _ form: StoredForm) {
      let isNew = form.isStoredAlike ? values.isEmpty : known.insert(value).inserted
      if isNew { values.append(value) }
    }
  }

  private struct Place: Hashable {
    let table: String
    let column: String
    let form: StoredForm
  }

  private var trials: [Place: Trial] = [:]
  /// In the order in which they came.
  private var places: [Place] = []

  /// Adds the values of a row that a statement writes.
  mutating func add(
    _ row: [StoredValue], replacing before: [StoredValue]?, _ writer: StatementWriter
  ) {
    for place in writer.places where before?[place] != row[place] {
      guard let form = StoredForm(row[place]), let column = writer.origin.columns[place] else {
        continue
      }
      let key = Place(table: writer.origin.name, column: column, form: form)
      if trials[key] == nil { places.append(key) }
      trials[key, default: Trial()].add(row[place], form)
    }
  }

  /// - Parameters:
  ///   - name: of a temporary table that they make.
  ///   - unfit: the temporary table that receives a sentence about a column that stores a value as another one.
  func lines(on name: String, notingIn unfit: String) -> [String] {
    places.flatMap { place in
      let column = SQLName.alwaysQuoted(place.column)
      let table = SQLName.alwaysQuoted(place.table)
      let words = StoredValue.text("\(place.table).\(place.column) stores the \(place.form.type) ")
      let values = trials[place]?.values ?? []
      let inserts = stride(from: 0, to: values.count, by: 200).map { start in
        let rows = values[start..<min(start + 200, values.count)].map {
          "(\($0.scriptLiteral), \($0.scriptLiteral))"
        }
        return "INSERT INTO temp.\(name) VALUES \(rows.joined(separator: ", "));"
      }
      // A column that is made of NULL has no affinity.
      return [
        "CREATE TEMP TABLE \(name) AS SELECT \(column) AS stored, NULL AS given FROM \(table) WHERE 0;"
      ] + inserts + [
        "INSERT INTO temp.\(unfit) SELECT \(words.scriptLiteral) || quote(given) || ' as ' || quote(stored) FROM temp.\(name) WHERE typeof(stored) <> '\(place.form.type)' LIMIT 3;",
        "DROP TABLE temp.\(name);",
      ]
    }
  }
}
