import Testing

/// Catalogs that several tests copy rather than import anew.
enum SharedCatalogs {
  static let sample = Task { try await TestCatalog.imported() }

  /// More sounds than a search of a page counts: 10,100 titles that begin alike, each hundredth hidden.
  static let many = Task {
    let catalog = try TestCatalog()
    let items = (1...10_100).map { number in
      """
      {"id":"\(SampleSeed.id(number))","title":"Sound \(number % 7_000)","isVisible":\(number % 100 != 0),"tags":{}}
      """
    }
    let outcome = try await catalog.importSeed(
      """
      {"format":1,"seedId":"many","revision":1,"dimensions":{},"music":[],"packs":[
       {"id":"\(SampleSeed.sfxPack)","kind":"sfx","title":"Sounds","version":1,
        "manifestUrl":"https://packs.example.com/m.json","items":[\(items.joined(separator: ",\n"))]}]}
      """)
    try #require(outcome.status == 0, "\(outcome)")
    return catalog
  }
}
