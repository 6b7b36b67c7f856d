import Foundation

/// The seed that ships with the library, as a resource beside the program.
package enum StarterSeed {
  /// - Throws: where the program was moved without its resource bundle.
  package static func path() throws -> String {
    guard let path = Bundle.module.path(forResource: "starter", ofType: "json") else {
      throw CocoaError(
        .fileNoSuchFile,
        userInfo: [
          NSLocalizedDescriptionKey:
            "the bundle with starter.json is not beside the program; name a seed file instead"
        ])
    }
    return path
  }
}
