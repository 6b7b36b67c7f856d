// swift-tools-version: 6.2

import PackageDescription

let package = Package(
  name: "sound-catalog",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "Catalog", targets: ["Catalog"]),
    .library(name: "AppleMusic", targets: ["AppleMusic"]),
    .library(name: "AppleMusicTokens", targets: ["AppleMusicTokens"]),
    .library(name: "DownloadsOverCurl", targets: ["DownloadsOverCurl"]),
    .library(name: "DownloadsOverURLSession", targets: ["DownloadsOverURLSession"]),
    .executable(name: "catalogctl", targets: ["catalogctl"]),
  ],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
  ],
  targets: [
    // The data's road, in order: document → checked commands → batch → log → projector → rows.
    .systemLibrary(
      name: "CZstd", pkgConfig: "libzstd",
      providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
    // Without its pkg-config file, which puts the system's folder before the archives of a release build.
    .systemLibrary(name: "COpenSSL", providers: [.apt(["libssl-dev"])]),
    // CryptoKit where there is one.
    .target(
      name: "Hashing",
      dependencies: [.target(name: "COpenSSL", condition: .when(platforms: [.linux]))]),
    .target(name: "Threads"),
    .target(
      name: "EventLog",
      dependencies: ["CZstd", "Threads", "Hashing"]),
    .target(name: "CatalogModel"),
    .target(
      name: "Projections",
      dependencies: ["CatalogModel", "Hashing"]),
    .target(
      name: "CatalogStore",
      dependencies: [
        "CatalogModel", "Projections", "Threads",
        "Hashing",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
      ]),
    .target(
      name: "Downloads",
      dependencies: ["CatalogModel", "Hashing"]),
    // Loads the system's libcurl when it is needed.
    .target(name: "CCurl"),
    .target(name: "DownloadsOverCurl", dependencies: ["CCurl", "Downloads", "Threads"]),
    .target(name: "DownloadsOverURLSession", dependencies: ["Downloads"]),
    .target(
      name: "AppleMusic",
      dependencies: ["CatalogModel", "Downloads"]),
    .target(
      name: "AppleMusicTokens",
      dependencies: [
        "AppleMusic", "CatalogModel",
        .target(name: "COpenSSL", condition: .when(platforms: [.linux])),
      ]),
    .target(
      name: "StarterSeed", path: "Seeds", exclude: ["ATTRIBUTION.md", "sources"],
      resources: [.copy("starter.json")]),
    .target(
      name: "Catalog",
      dependencies: [
        "EventLog", "CatalogModel", "Projections", "CatalogStore", "Downloads", "AppleMusic",
        "StarterSeed", "Threads",
        "Hashing",
        .product(name: "GRDB", package: "GRDB.swift"),
        .product(name: "Logging", package: "swift-log"),
      ]),
    .target(
      name: "CatalogCommands",
      dependencies: [
        "AppleMusic", "AppleMusicTokens", "Catalog", "CatalogModel", "CatalogStore", "Downloads",
        "EventLog", "Projections",
        .target(name: "DownloadsOverCurl", condition: .when(platforms: [.linux])),
        .target(name: "DownloadsOverURLSession", condition: .when(platforms: [.macOS])),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        "Hashing",
        .product(name: "Logging", package: "swift-log"),
      ]),
    .executableTarget(name: "catalogctl", dependencies: ["CatalogCommands"]),

    .target(
      name: "CatalogTestSupport", dependencies: ["CatalogModel", "EventLog"],
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
        "Catalog", "CatalogModel", "EventLog", "CatalogTestSupport",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/Embedder"),
    .testTarget(
      name: "EventLogTests",
      dependencies: ["EventLog", "Hashing", "Threads", "CatalogTestSupport"],
      exclude: ["Resources"]),
    .testTarget(
      name: "CatalogModelTests", dependencies: ["CatalogModel", "CatalogTestSupport"],
      exclude: ["Resources"]),
    .testTarget(
      name: "ProjectionsTests",
      dependencies: ["Projections", "CatalogModel", "CatalogTestSupport"]),
    .testTarget(
      name: "CatalogStoreTests",
      dependencies: [
        "CatalogStore", "Projections", "CatalogModel", "CatalogTestSupport",
        .product(name: "GRDB", package: "GRDB.swift"),
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
        "AppleMusic", "Catalog", "CatalogModel", "CatalogStore", "Downloads",
        "DownloadsOverCurl", "EventLog", "Projections", "CatalogTestSupport",
        "DownloadTestSupport",
        "Hashing",
        .product(name: "GRDB", package: "GRDB.swift"),
      ]),
    .testTarget(
      name: "CatalogCommandsTests",
      dependencies: [
        "CatalogCommands", "Catalog", "EventLog", "CatalogTestSupport", "DownloadTestSupport",
        "catalogctl", "embedder",
      ],
      exclude: ["Snapshots"]),
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
