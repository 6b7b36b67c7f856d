package import CatalogEngine
import CatalogStore
package import Projections

extension DescribedKind: AdoptedKind {
  package func origin(of table: TableDescription) -> TableOrigin? {
    let documents = description.documents.filter { $0.format == .sqlite }
    for document in documents {
      guard let rows = document.rows.first(where: { $0.table == table.name }) else { continue }
      let addedKey = table.columns.firstIndex { $0.name == CompiledTable.hiddenKey }
      return TableOrigin(
        rows.sourceTable,
        columns: table.columns.indices.map {
          $0 == addedKey ? nil : rows.sourceColumn(table.columns[$0].name)
        },
        addedKey: addedKey, isKeyless: addedKey != nil, database: document.name,
        numberAmongEqual: { WholeRowKey.number(in: $0) })
    }
    return nil
  }
}
