import CatalogEngine
import CatalogModel
import CatalogStore
import FoundationEssentials

extension PackDoctor {
  /// What is wrong with the files of packs, as `CatalogDoctor` takes it.
  static func findings(
    in directory: CatalogDirectory, _ view: ProjectionView, hashing: Bool
  ) throws -> [CatalogFinding] {
    try PackDoctor(directory, view).look(hashing).map(CatalogFinding.init)
  }
}

extension CatalogFinding.Area {
  static let packs = CatalogFinding.Area("packs")
}

extension CatalogFinding {
  init(_ finding: PackFinding) {
    self.init(
      .packs, Problem(rawValue: finding.problem.rawValue) ?? .unusable, finding.path,
      ErrorMessage(finding.message), finding.remedy)
    subject = finding.packID.map { Subject("packId", $0.uuidString.lowercased()) }
  }
}
