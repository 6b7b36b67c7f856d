import SoundLibrary

/// What an application that knows `import SoundLibrary` alone can tell apart: every error that a public call
/// throws has a name there. (`EmbeddingTests` compiles this as another package would.)
enum CaughtErrors {
  static func words(
    for work: () async throws -> Void
  ) async -> String {
    do {
      try await work()
      return "fine"
    } catch let error as EventLogError {
      switch error.code {
      case .locked: return "another program writes: \(error.message)"
      case .damaged(let damage): return "damaged: \(damage.rawValue)"
      case .lostEvents: return "events are missing: \(error.file ?? "?")"
      default: return error.isDamage ? "damaged" : error.description
      }
    } catch let error as StoreError where error.code == .notADatabase {
      return error.message
    } catch let error as StoreError {
      return error.message
    } catch let error as CatalogError {
      return "\(error.code): \(error.message)"
    } catch let error as DocumentError {
      return error.advice ?? error.message
    } catch let error as ProjectionError {
      return "event \(error.sequence ?? 0): \(error.message)"
    } catch let error as EventDecodingError {
      return "event \(error.sequence): \(error.message)"
    } catch let error as DownloadFailure {
      return error.isResumable ? "later" : error.message
    } catch let error as DownloadPolicyError {
      return "\(error.property) may be \(error.allowed)"
    } catch let error as TransportFailure {
      return error.reason
    } catch let error as AppleMusicError {
      return error.message
    } catch {
      return "something else"
    }
  }
}
