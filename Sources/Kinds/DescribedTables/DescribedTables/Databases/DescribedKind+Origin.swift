package import CatalogEngine
import CatalogStore
package import Projections

extension DescribedKind: AdoptedKind {
  package func origin(of table: TableDescription) -> TableOrigin? {
    let documents = description.documents.filter { $0.format == .sqlite }
    for document in documents {
      guard let rows = document.rows.first(where: { $0.table == table.name }) else { continue }
      let kept = table.columns.map { rows.sourceColumn($0.name) }
      let passedOver = description.table(table.name)?.columns.filter { !$0.isKept } ?? []
      let start = rows.sourceTable + "."
      let ignored = document.ignored.filter { $0.hasPrefix(start) }.map {
        String($0.dropFirst(start.count))
      }
      let addedKey = table.columns.firstIndex { $0.name == CompiledTable.hiddenKey }
      return TableOrigin(
        rows.sourceTable,
        columns: table.columns.indices.map {
          $0 == addedKey ? nil : kept[$0]
        },
        missing: (ignored + passedOver.map { rows.sourceColumn($0.name) }).filter {
          !kept.contains($0)
        }, canHaveMore: document.others != .refuse,
        uniques: table.columns.indices.filter { table.columns[$0].isUnique }.map { [$0] },
        addedKey: addedKey, isKeyless: addedKey != nil, database: document.name,
        numberAmongEqual: { WholeRowKey.number(in: $0) })
    }
    return nil
  }
}
