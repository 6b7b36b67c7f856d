import CatalogTestSupport

/// The reducer in Python, which was written from the page alone and reads the description from the log.
enum SecondReader {
  /// Compares the rows of a catalog's database with those of its log: the differences, nil if there are none.
  static func complaint(of folder: String) throws -> String? {
    let reader = try Program(
      "python3", ScratchFolder.repository + "/Tools/table-reducer.py", folder + "/events",
      folder + "/catalog.sqlite")
    return reader.status == 0 ? nil : reader.everything
  }
}
