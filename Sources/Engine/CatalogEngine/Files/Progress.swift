/// How far a long piece of work has come.
public struct CatalogProgress: Hashable, Sendable {
  public enum Phase: String, Sendable {
    case waiting = "waiting for another writer"
    case reading = "reading the document"
    case planning = "comparing with the catalog"
    case folding = "replaying events"
    case writing = "writing rows"
    case replacing = "replacing the live database"
    case digesting = "digesting tables"
    case checking = "checking the log"
    case copying = "copying events"
    case examining = "examining the live database"
    case bisecting = "querying states of the catalog"
  }

  public var phase: Phase
  public var done: Int
  /// Nil where the end is not known.
  public var total: Int?

  /// What a kind of catalog reports of its own work: `done` of `total`, in whatever unit; nil if the end is not known.
  public init(phase: Phase, done: Int, total: Int?) {
    self.phase = phase
    self.done = done
    self.total = total
  }
}

/// Receives progress updates, on the thread that does the work; must be quick.
public typealias ProgressObserver = @Sendable (CatalogProgress) -> Void
