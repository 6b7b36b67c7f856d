// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "catalog-engine",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "CatalogEngine", targets: ["CatalogEngine"]),
    .library(name: "EngineCommands", targets: ["EngineCommands"]),
    .library(name: "CatalogPages", targets: ["CatalogPages"]),
    .library(name: "KindConformance", targets: ["KindConformance"]),
    .library(name: "SoundLibrary", targets: ["SoundLibrary"]),
    .library(name: "ConcertArchive", targets: ["ConcertArchive"]),
    .library(name: "TrackLibrary", targets: ["TrackLibrary"]),
    .library(name: "DescribedTables", targets: ["DescribedTables"]),
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
    .systemLibrary(
      name: "CZlib", path: "Sources/Engine/CZlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    // Without its pkg-config file, which puts the system's folder before the archives of a release build.
    .systemLibrary(
      name: "COpenSSL", path: "Sources/Engine/COpenSSL", providers: [.apt(["libssl-dev"])]),
    // What glibc has beyond the module that Swift gives it.
    .systemLibrary(name: "CGlibc", path: "Sources/Engine/CGlibc"),
    .target(name: "LibC", path: "Sources/Engine/LibC"),
    // Hashes, threads, and what errors say.
    .target(
      name: "Support",
      dependencies: ["LibC", .target(name: "COpenSSL", condition: .when(platforms: [.linux]))],
      path: "Sources/Engine/Support"),
    .target(
      name: "EventLog",
      dependencies: [
        "CZstd", "LibC", "Support", .target(name: "CGlibc", condition: .when(platforms: [.linux])),
      ],
      path: "Sources/Engine/EventLog"),
    // Loads the system's libpq when it is needed.
    .target(
      name: "PostgresLog", dependencies: ["EventLog", "LibC", "Support"],
      path: "Sources/Engine/PostgresLog"),
    .target(
      name: "CatalogModel", dependencies: ["CZlib", "CZstd", "LibC", "Support"],
      path: "Sources/Engine/CatalogModel"),
    .target(
      name: "Projections", dependencies: ["CatalogModel", "LibC", "Support"],
      path: "Sources/Engine/Projections"),
    .target(
      name: "CatalogStore",
      dependencies: [
        "EventLog", "CatalogModel", "Projections", "LibC", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ],
      path: "Sources/Engine/CatalogStore"),
    .target(
      name: "CatalogEngine",
      dependencies: [
        "EventLog", "PostgresLog", "CatalogModel", "Projections", "CatalogStore", "LibC", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Engine/CatalogEngine"),
    .target(
      name: "EngineCommands",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EventLog", "PostgresLog", "Projections",
        "LibC", "Support",
        .target(name: "CGlibc", condition: .when(platforms: [.linux])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Engine/EngineCommands"),
    // Markup is here alone: an app that embeds the commands compiles none of it.
    .target(
      name: "CatalogPages",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EngineCommands", "EventLog",
        "Projections", "Support",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Engine/CatalogPages"),

    // For the tests of whoever writes a kind.
    .target(
      name: "KindConformance",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EventLog", "Projections", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Engine/KindConformance"),

    // Services: they know of no catalog.
    .target(
      name: "Downloads", dependencies: ["CatalogModel", "LibC", "Support"],
      path: "Sources/Services/Downloads"),
    // Loads the system's libcurl when it is needed.
    .target(name: "CCurl", path: "Sources/Services/CCurl"),
    .target(
      name: "DownloadsOverCurl", dependencies: ["CCurl", "Downloads", "LibC", "Support"],
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
      name: "StarterSeed", path: "Seeds", exclude: ["ATTRIBUTION.md", "sources"],
      resources: [.copy("starter.json")]),
    .target(
      name: "SoundLibrary",
      dependencies: [
        "EventLog", "CatalogModel", "Projections", "CatalogStore", "CatalogEngine",
        "Downloads", "AppleMusic", "StarterSeed", "LibC", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Sources/Kinds/SoundLibrary/SoundLibrary"),
    .target(
      name: "SoundLibraryCommands",
      dependencies: [
        "AppleMusic", "AppleMusicTokens", "SoundLibrary", "CatalogEngine", "CatalogModel",
        "CatalogStore", "Downloads", "EngineCommands", "EventLog", "Projections",
        "Support", "DownloadsOverSystem",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Kinds/SoundLibrary/SoundLibraryCommands"),

    // The second kind: an archive of concerts.
    .target(
      name: "ConcertArchive",
      dependencies: ["LibC", "CatalogEngine", "CatalogModel", "Downloads"],
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
      name: "TrackLibrary", dependencies: ["CatalogEngine"],
      path: "Sources/Kinds/TrackLibrary/TrackLibrary", packageAccess: false),

    .target(
      name: "TrackLibraryCommands",
      dependencies: [
        "CatalogEngine", "EngineCommands", "TrackLibrary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Kinds/TrackLibrary/TrackLibraryCommands", packageAccess: false),

    // Tables that a person describes as data.
    .target(
      name: "DescribedTables",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EventLog",
        "Projections", "LibC", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/Kinds/DescribedTables/DescribedTables"),

    .target(
      name: "DescribedTablesCommands",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "DescribedTables", "EngineCommands",
        "EventLog", "Projections", "Support",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/Kinds/DescribedTables/DescribedTablesCommands"),

    // The program that knows all kinds.
    .target(
      name: "CatalogControl",
      dependencies: [
        "CatalogEngine", "CatalogPages", "ConcertArchiveCommands", "ConcertArchive",
        "DescribedTables", "DescribedTablesCommands", "EngineCommands", "Support",
        "SoundLibraryCommands", "SoundLibrary", "TrackLibraryCommands", "TrackLibrary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Sources/Tool/CatalogControl"),
    .executableTarget(
      name: "catalogctl", dependencies: ["CatalogControl", "EngineCommands"],
      path: "Sources/Tool/catalogctl"),

    // What each suite promises. No other target of the tests imports Testing, which `embedder` is linked without.
    .target(name: "Promises", path: "Tests/Promises"),
    .target(
      name: "CatalogTestSupport", dependencies: ["CatalogModel", "EventLog"],
      path: "Tests/CatalogTestSupport"),
    .target(
      name: "SoundLibraryTestSupport",
      dependencies: ["CatalogModel", "CatalogTestSupport", "Projections", "SoundLibrary"],
      path: "Tests/SoundLibraryTestSupport"),
    .target(
      name: "DownloadTestSupport",
      dependencies: [
        "CatalogModel", "CatalogTestSupport", "Downloads",
        "Support",
      ],
      path: "Tests/DownloadTestSupport"),
    .executableTarget(
      name: "embedder",
      dependencies: [
        "SoundLibrary", "CatalogEngine", "CatalogModel", "ConcertArchive", "EventLog",
        "PostgresLog", "Projections", "CatalogTestSupport", "DownloadsOverCurl",
        "KindConformance", "SoundLibraryTestSupport", "Support", "TrackLibrary",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Embedder"),
    .testTarget(name: "SupportTests", dependencies: ["LibC", "Support"]),
    .testTarget(
      name: "EventLogTests",
      dependencies: ["EventLog", "Support", "CatalogTestSupport"],
      exclude: ["Resources"]),
    .target(
      name: "PostgresTestSupport", dependencies: ["CatalogTestSupport", "Support"],
      path: "Tests/PostgresTestSupport"),
    .testTarget(
      name: "LogStoreTests",
      dependencies: [
        "EventLog", "PostgresLog", "KindConformance", "CatalogTestSupport", "PostgresTestSupport",
        "Support",
      ]),
    .testTarget(
      name: "CatalogModelTests",
      dependencies: ["CatalogModel", "Projections", "CatalogTestSupport"],
      exclude: ["Resources"]),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: ["Projections", "CatalogModel", "CatalogTestSupport"]),
    .testTarget(
      name: "CatalogStoreTests",
      dependencies: [
        "CatalogEngine", "CatalogStore", "Projections", "CatalogModel", "CatalogTestSupport",
        "StoreTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    // Kinds of the engine's suites, one of which does what no kind may, and a program that knows that one.
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
        "CatalogEngine", "KindConformance", "NotesKind", "notesctl", "CatalogTestSupport",
        "PastViewsTestSupport",
      ]),
    .testTarget(
      name: "DownloadsTests",
      dependencies: [
        "Downloads", "DownloadsOverCurl", "DownloadsOverURLSession", "CatalogModel",
        "CatalogTestSupport", "DownloadTestSupport",
        "Support",
      ]),
    .testTarget(
      name: "AppleMusicTests",
      dependencies: [
        "AppleMusic", "AppleMusicTokens", "Downloads", "DownloadsOverCurl", "CatalogModel",
        "CatalogTestSupport", "DownloadTestSupport",
      ],
      exclude: ["Resources"]),
    .target(
      name: "StoreTestSupport",
      dependencies: [
        "CatalogEngine", "CatalogStore", "EventLog", "Projections",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/StoreTestSupport"),
    .target(
      name: "PastViewsTestSupport",
      dependencies: [
        "CatalogEngine", "CatalogStore", "EventLog", "KindConformance", "Projections",
        "CatalogTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Tests/PastViewsTestSupport", exclude: ["views.py"]),
    .testTarget(
      name: "CatalogEngineTests",
      dependencies: [
        "CatalogEngine", "CatalogModel", "CatalogStore", "EventLog", "Projections", "NotesKind",
        "CatalogTestSupport", "StoreTestSupport", "PostgresLog", "PostgresTestSupport", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "SoundLibraryTests",
      dependencies: [
        "PastViewsTestSupport", "StoreTestSupport",
        "AppleMusic", "SoundLibrary", "CatalogEngine", "CatalogModel", "CatalogStore", "Downloads",
        "KindConformance", "DownloadsOverCurl", "EventLog", "NotesKind", "Projections",
        "CatalogTestSupport", "DownloadTestSupport", "SoundLibraryTestSupport", "Support",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "ConcertArchiveTests",
      dependencies: [
        "PastViewsTestSupport",
        "ConcertArchive", "CatalogEngine", "CatalogModel", "CatalogStore", "EngineCommands",
        "KindConformance", "Projections", "CatalogControl", "Downloads", "CatalogTestSupport",
        "DownloadTestSupport", "catalogctl",
      ]),
    .testTarget(
      name: "TrackLibraryTests",
      dependencies: [
        "PastViewsTestSupport",
        "TrackLibrary", "CatalogControl", "CatalogEngine", "CatalogModel", "CatalogStore",
        "EngineCommands", "KindConformance", "Projections", "CatalogTestSupport", "catalogctl",
      ]),
    .target(
      name: "BookshelfExample", dependencies: ["CatalogEngine"],
      path: "Examples/Bookshelf/Sources/Bookshelf"),
    .testTarget(
      name: "DescribedTablesTests",
      dependencies: [
        "BookshelfExample",
        "PastViewsTestSupport",
        "DescribedTables", "CatalogControl", "CatalogEngine", "CatalogModel", "CatalogPages",
        "CatalogStore", "EngineCommands", "EventLog", "KindConformance", "Projections", "Support",
        "CatalogTestSupport", "catalogctl",
      ],
      exclude: [
        "Documents/documents.py", "Databases/adopted.py", "Databases/capturing.py",
        "Databases/compared.py", "Databases/pairs.py", "Databases/reals.py",
        "Databases/samerows.py", "Git/versions.py",
      ]),
    .testTarget(
      name: "CatalogctlTests",
      dependencies: [
        "CatalogControl", "EngineCommands", "SoundLibraryCommands", "SoundLibrary", "CatalogEngine",
        "CatalogModel", "CatalogPages", "CatalogStore", "ConcertArchive", "Projections",
        "TrackLibrary", "EventLog", "CatalogTestSupport",
        "DownloadTestSupport", "PostgresTestSupport",
        "catalogctl", "embedder", "notesctl",
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
  if target.type == .test { target.dependencies.append("Promises") }
}

// Tools/suites sets the variable: it optimises what the suites spend their time in, which is the engine. No other build has the
// flag.
if Context.environment["CATALOG_SUITES"] != nil {
  for target in package.targets
  // A force unwrap of the bad kind of Tests/Notes says what it is only without optimisation.
  where target.type == .test || target.name.hasSuffix("Commands")
    || ["Tests/", "Sources/Kinds/"].contains(where: { target.path?.hasPrefix($0) == true })
  {
    target.swiftSettings?.append(.unsafeFlags(["-Onone"]))
  }
}
