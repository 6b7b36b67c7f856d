#if canImport(FoundationNetworking)
  import Foundation

  /// The proxy that Linux's session would ask, as the libcurl below it reads the environment.
  enum EnvironmentProxy {
    /// - Returns: the variable that names one; nil if there is none, or `no_proxy` names the host or all.
    static func variable(
      for url: URL, in environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> String? {
      let own =
        url.scheme?.lowercased() == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
      let named = (own + ["all_proxy", "ALL_PROXY"]).first { environment[$0]?.isEmpty == false }
      let host = url.host?.lowercased()
      let excepted = (environment["no_proxy"] ?? environment["NO_PROXY"] ?? "").lowercased()
        .split { $0 == "," || $0 == " " }
      return excepted.contains { $0 == "*" || $0 == host ?? "" } ? nil : named
    }
  }
#endif
