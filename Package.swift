// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "sound-catalog",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "CatalogEngine", targets: ["CatalogEngine"]),
    .library(name: "EngineCommands", targets: ["EngineCommands"]),
    .library(name: "KindConformance", targets: ["KindConformance"]),
    .library(name: "Catalog", targets: ["Catalog"]),
    .library(name: "TrackLibrary", targets: ["TrackLibrary"]),
    .library(name: "AppleMusic", targets: ["AppleMusic"]),
    .library(name: "AppleMusicTokens", targets: ["AppleMusicTokens"]),
    .library(name: "DownloadsOverCurl", targets: ["DownloadsOverCurl"]),
    .library(name: "DownloadsOverURLSession", targets: ["DownloadsOverURLSession"]),
    .library(name: "CatalogControl", targets: ["CatalogControl"]),
    .executable(name: "catalogctl", targets: ["catalogctl"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The engine, in the order of the data's road: log → decoder → projector → rows → database.
    .systemLibrary(
      name: "CZstd", path: "Sources/Engine/CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    // Without its pkg-config file, which puts the system's folder before the archives of a release build.
    .systemLibrary(
      name: "COpenSSL", path: "Sources/Engine/COpenSSL", providers: [.apt(["libssl-dev"])]),
    // CryptoKit where there is one.
    .target(
      name: "Hashing",
      dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
      path: "Sources/Engine/Hashing"),
    .target(name: "Threads", path: "Sources/Engine/Threads"),
    // What errors say, and what somebody can do about them.
    .target(name: "Recoveries", path: "Sources/Engine/Recoveries"),
    .target(
      name: "EventLog", dependencies: ["CZstd", "Threads", "Hashing", "Recoveries"],
      path: "Sources/Engine/EventLog"),
    // Loads the system's libpq when it is needed.
    .target(
      name: "PostgresLog", dependencies: ["EventLog", "Recoveries"],
      path: "Sources/Engine/PostgresLog"),
    .target(
      name: "CatalogModel", dependencies: ["Recoveries"], path: "Sources/Engine/CatalogModel"),
    .target(
      name: "Projections", dependencies: ["CatalogModel", "Hashing", "Recoveries"],
      path: "Sources/Engine/Projections"),
    .target(
      name: "CatalogStore",
      dependencies: [
        "EventLog", "CatalogModel", "Projections", "Threads", "Hashing", "Recoveries",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Sources/Engine/CatalogStore"),
    .target(
      name: "CatalogEngine",
      dependencies: [
        "EventLog", "PostgresLog", "CatalogModel", "Projections", "CatalogStore", "Threads",
        "Hashing", "Recoveries",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Engine/CatalogEngine"),
    .target(
      name: "EngineCommands",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EventLog", "PostgresLog", "Projections",
        "Hashing", "Recoveries",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Engine/EngineCommands"),

    // For the tests of whoever writes a kind.
    .target(
      name: "KindConformance",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EventLog", "Projections", "Threads",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Engine/KindConformance"),

    // Services: they know of no catalog.
    .target(
      name: "Downloads", dependencies: ["CatalogModel", "Hashing"],
      path: "Sources/Services/Downloads"),
    // Loads the system's libcurl when it is needed.
    .target(name: "CCurl", path: "Sources/Services/CCurl"),
    .target(
      name: "DownloadsOverCurl", dependencies: ["CCurl", "Downloads", "Threads"],
      path: "Sources/Services/DownloadsOverCurl"),
    .target(
      name: "DownloadsOverURLSession", dependencies: ["Downloads"],
      path: "Sources/Services/DownloadsOverURLSession"),
    // The client that the platform has.
    .target(
      name: "DownloadsOverSystem",
      dependencies: [
        "Downloads",
        .target(name: "DownloadsOverCurl", condition: .when(platforms: [.linux])),
        .target(name: "DownloadsOverURLSession", condition: .when(platforms: [.macOS])),
      ],
      path: "Sources/Services/DownloadsOverSystem"),
    .target(
      name: "AppleMusic", dependencies: ["CatalogModel", "Downloads"],
      path: "Sources/Services/AppleMusic"),
    .target(
      name: "AppleMusicTokens",
      dependencies: [
        "AppleMusic", "CatalogModel",
        .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
      ],
      path: "Sources/Services/AppleMusicTokens"),

    // The first kind of catalog: a tagged sound library.
    .target(
      name: "SoundLibraryKind",
      dependencies: ["CatalogModel", "Projections", "Hashing", "Recoveries"],
      path: "Sources/Kinds/SoundLibrary/SoundLibraryKind"),
    .target(
      name: "SoundLibraryQueries",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "Projections", "SoundLibraryKind",
        "Threads", "Recoveries",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Sources/Kinds/SoundLibrary/SoundLibraryQueries"),
    .target(
      name: "StarterSeed", path: "Seeds", exclude: ["ATTRIBUTION.md", "sources"],
      resources: [.copy("starter.json")]),
    .target(
      name: "Catalog",
      dependencies: [
        "EventLog", "CatalogModel", "Projections", "CatalogStore", "CatalogEngine",
        "SoundLibraryKind", "SoundLibraryQueries", "Downloads", "AppleMusic", "StarterSeed",
        "Threads", "Hashing", "Recoveries",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Kinds/SoundLibrary/Catalog"),
    .target(
      name: "SoundLibraryCommands",
      dependencies: [
        "AppleMusic", "AppleMusicTokens", "Catalog", "CatalogEngine", "CatalogModel",
        "CatalogStore", "Downloads", "EngineCommands", "EventLog", "Projections",
        "SoundLibraryKind", "SoundLibraryQueries", "Recoveries",
        "DownloadsOverSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Kinds/SoundLibrary/SoundLibraryCommands"),

    // The second kind: an archive of concerts.
    .target(
      name: "ConcertArchiveKind",
      dependencies: ["CatalogModel", "Projections", "Hashing", "Threads"],
      path: "Sources/Kinds/ConcertArchive/ConcertArchiveKind"),
    .target(
      name: "ConcertArchive",
      dependencies: ["CatalogEngine", "CatalogModel", "ConcertArchiveKind", "Downloads"],
      path: "Sources/Kinds/ConcertArchive/ConcertArchive"),

    .target(
      name: "ConcertArchiveCommands",
      dependencies: [
        "CatalogEngine", "CatalogModel", "ConcertArchive", "Downloads", "EngineCommands",
        "DownloadsOverSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Kinds/ConcertArchive/ConcertArchiveCommands"),

    // The third kind: a library of tracks. It sees of the engine what another package sees: no `package` symbols.
    .target(
      name: "TrackLibraryKind", dependencies: ["CatalogEngine"],
      path: "Sources/Kinds/TrackLibrary/TrackLibraryKind", packageAccess: false),
    .target(
      name: "TrackLibrary", dependencies: ["CatalogEngine", "TrackLibraryKind"],
      path: "Sources/Kinds/TrackLibrary/TrackLibrary", packageAccess: false),

    .target(
      name: "TrackLibraryCommands",
      dependencies: [
        "CatalogEngine", "EngineCommands", "TrackLibrary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Kinds/TrackLibrary/TrackLibraryCommands", packageAccess: false),

    // The program that knows all kinds.
    .target(
      name: "CatalogControl",
      dependencies: [
        "CatalogEngine", "ConcertArchiveCommands", "ConcertArchiveKind", "EngineCommands",
        "Recoveries", "SoundLibraryCommands", "SoundLibraryKind", "TrackLibraryCommands",
        "TrackLibraryKind",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Tool/CatalogControl"),
    .executableTarget(
      name: "catalogctl", dependencies: ["CatalogControl", "EngineCommands"],
      path: "Sources/Tool/catalogctl"),

    .target(
      name: "CatalogTestSupport", dependencies: ["CatalogModel", "EventLog", "SoundLibraryKind"],
      path: "Tests/CatalogTestSupport"),
    .target(
      name: "DownloadTestSupport",
      dependencies: [
        "CatalogModel", "CatalogTestSupport", "Downloads",
        "Hashing",
      ],
      path: "Tests/DownloadTestSupport"),
    .executableTarget(
      name: "embedder",
      dependencies: [
        "Catalog", "CatalogEngine", "CatalogModel", "ConcertArchive", "ConcertArchiveKind",
        "EventLog", "PostgresLog", "Projections", "SoundLibraryKind", "CatalogTestSupport",
        "DownloadsOverCurl", "KindConformance", "Recoveries", "TrackLibrary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Embedder"),
    .testTarget(name: "RecoveriesTests", dependencies: ["Recoveries"]),
    .testTarget(
      name: "EventLogTests",
      dependencies: ["EventLog", "Hashing", "Threads", "Recoveries", "CatalogTestSupport"],
      exclude: ["Resources"]),
    .target(
      name: "PostgresTestSupport", dependencies: ["CatalogTestSupport", "Threads"],
      path: "Tests/PostgresTestSupport"),
    .testTarget(
      name: "LogStoreTests",
      dependencies: [
        "EventLog", "PostgresLog", "KindConformance", "CatalogTestSupport", "PostgresTestSupport",
      ]),
    .testTarget(
      name: "CatalogModelTests",
      dependencies: ["CatalogModel", "Projections", "SoundLibraryKind", "CatalogTestSupport"],
      exclude: ["Resources"]),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: ["Projections", "CatalogModel", "SoundLibraryKind", "CatalogTestSupport"]),
    .testTarget(
      name: "CatalogStoreTests",
      dependencies: [
        "CatalogEngine", "CatalogStore", "Projections", "CatalogModel", "SoundLibraryKind",
        "SoundLibraryQueries", "CatalogTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    // A kind that does what no kind may, and a program that knows it.
    .target(name: "NotesKind", dependencies: ["CatalogEngine"], path: "Tests/Notes/NotesKind"),
    .executableTarget(
      name: "notesctl",
      dependencies: [
        "NotesKind", "EngineCommands",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Tests/Notes/notesctl"),
    .testTarget(
      name: "KindConformanceTests",
      dependencies: [
        "CatalogEngine", "KindConformance", "NotesKind", "notesctl", "SoundLibraryKind",
        "CatalogTestSupport",
      ]),
    .testTarget(
      name: "DownloadsTests",
      dependencies: [
        "Downloads", "DownloadsOverCurl", "DownloadsOverURLSession", "CatalogModel",
        "CatalogTestSupport", "DownloadTestSupport",
        "Hashing",
      ]),
    .testTarget(
      name: "AppleMusicTests",
      dependencies: [
        "AppleMusic", "AppleMusicTokens", "Downloads", "DownloadsOverCurl", "CatalogModel",
        "CatalogTestSupport", "DownloadTestSupport",
      ],
      exclude: ["Resources"]),
    .testTarget(
      name: "CatalogTests",
      dependencies: [
        "AppleMusic", "Catalog", "CatalogEngine", "CatalogModel", "CatalogStore", "Downloads",
        "SoundLibraryKind", "SoundLibraryQueries", "KindConformance",
        "DownloadsOverCurl", "EventLog", "Projections", "CatalogTestSupport",
        "DownloadTestSupport", "PostgresLog", "PostgresTestSupport",
        "Hashing",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "ConcertArchiveTests",
      dependencies: [
        "ConcertArchive", "ConcertArchiveKind", "CatalogEngine", "CatalogModel", "CatalogStore",
        "EngineCommands", "KindConformance", "Projections", "CatalogControl", "Downloads",
        "CatalogTestSupport", "DownloadTestSupport", "catalogctl",
      ]),
    .testTarget(
      name: "TrackLibraryTests",
      dependencies: [
        "TrackLibrary", "TrackLibraryKind", "CatalogControl", "CatalogEngine", "CatalogModel",
        "CatalogStore", "EngineCommands", "KindConformance", "Projections", "CatalogTestSupport",
        "catalogctl",
      ]),
    .testTarget(
      name: "CatalogCommandsTests",
      dependencies: [
        "CatalogControl", "EngineCommands", "SoundLibraryCommands", "Catalog", "CatalogEngine",
        "CatalogModel", "CatalogStore", "ConcertArchiveKind", "Projections", "SoundLibraryKind",
        "TrackLibraryKind", "EventLog",
        "CatalogTestSupport",
        "DownloadTestSupport", "PostgresTestSupport",
        "catalogctl", "embedder",
      ],
      exclude: ["Resources", "Snapshots"]),
  ],
  swiftLanguageModes: [.v6]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ]
}

// Tools/suites sets the variable: it optimises everything but the tests. No other build has the flag.
if Context.environment["CATALOG_SUITES"] != nil {
  for target in package.targets
  where target.type == .test || target.path?.hasPrefix("Tests/") == true {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
}
