public import CatalogEngine
import CatalogModel
import Foundation
import Projections

/// A library is exported as a seed for each of its seeds: docs/SEEDS.md.
extension SoundLibraryKind: ExportingKind {
  public func export(_ rows: ProvedRows) throws -> CatalogExport {
    let export = try SeedExport(rows)
    return CatalogExport(
      documents: export.seeds.map { seed in
        ExportedDocument("\(seed.id).json", export.json(of: seed))
      },
      entries: [
        EntryCount("music entry", export.seeds.reduce(0) { $0 + $1.music.count }),
        EntryCount("pack", export.seeds.reduce(0) { $0 + $1.packs.count }),
        EntryCount("pack item", export.seeds.reduce(0) { $0 + $1.itemCount }),
        EntryCount("tag value", export.valueCount),
      ],
      omitted: export.omitted)
  }

  public func imports(from folder: String) throws -> [ImportStep<SoundEvent>] {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    return try names.map { name in
      let seed = try LoadedSeed(.file("\(folder)/\(name)"))
      return ImportStep(by: seed.source) { rows in
        var plan = SeedPlan(seed, rows: rows, retiresMissing: false)
        try plan.run { _ in }
        return plan.events
      }
    }
  }
}
