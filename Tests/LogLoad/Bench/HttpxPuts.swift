import JSON
import Service

/// The same calls by a Python program with httpx, as a back end would make them: one client and its kept connections, a new
/// token for each call. One connection is a plain client; several are threads that share one, or tasks of asyncio, whichever are
/// faster.
struct HttpxPuts {
  enum Found {
    case measured(perSecond: Double)
    /// There is no Python with what it takes.
    case absent(reason: String)
  }

  let python: String
  let folder: String

  func perSecond(_ connections: Int, seconds: Double, store: StandInStore, keyPath: String) throws -> Found {
    let output = "\(folder)/httpx.\(connections).out"
    let url = "\(store.address)/inApps/v2/transactions/consumption/\(SignedPuts.transactionID)"
    let child = try Child(
      "/usr/bin/env",
      [
        python, "-c", Self.program, url, store.authoritiesPath, keyPath, IdleServices.keyID, IdleServices.issuerID,
        IdleServices.bundleID, SignedPuts.body, String(connections), BenchRow.text(seconds),
      ], output: output)
    let ended = child.end()
    let text = String(decoding: (try? Files.read(output, bytesMax: 1 << 20)) ?? [], as: UTF8.self)
    switch ended.code {
    case 0:
      guard let result = ended.result else { throw LoadError("httpx told nothing: \(text.suffix(300))") }
      return .measured(perSecond: Double(try result.integer("puts")) * 1e9 / Double(try result.integer("nanoseconds")))
    case 3: return .absent(reason: text.split(separator: "\n").last.map { "\(python): \($0)" } ?? python)
    case 127: return .absent(reason: "there is no \(python)")
    default: throw LoadError("httpx ended with \(ended.code): \(text.suffix(300))")
    }
  }

  private static let program = #"""
    import asyncio, base64, concurrent.futures, json, ssl, sys, time
    try:
        import httpx
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
    except ImportError as error:
        print(error)
        sys.exit(3)

    url, authorities, key_path, key_id, issuer, bundle, body = sys.argv[1:8]
    connections, seconds = int(sys.argv[8]), float(sys.argv[9])
    with open(key_path, "rb") as file:
        key = serialization.load_pem_private_key(file.read(), password=None)
    trust = ssl.create_default_context(cafile=authorities)
    content = body.encode()

    def text(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=")

    def part(value):
        return text(json.dumps(value, separators=(",", ":")).encode())

    def headers():
        issued = int(time.time()) - 30
        signed = part({"alg": "ES256", "kid": key_id, "typ": "JWT"}) + b"." + part(
            {"iss": issuer, "iat": issued, "exp": issued + 300, "aud": "appstoreconnect-v1", "bid": bundle})
        r, s = decode_dss_signature(key.sign(signed, ec.ECDSA(hashes.SHA256())))
        token = signed + b"." + text(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        return {"Authorization": "Bearer " + token.decode(), "Accept": "application/json",
                "Content-Type": "application/json"}

    def check(reply):
        if reply.status_code != 202:
            raise SystemExit(f"answered {reply.status_code}")

    limits = httpx.Limits(max_connections=connections, max_keepalive_connections=connections)

    def threads():
        with httpx.Client(verify=trust, limits=limits) as client:
            check(client.put(url, content=content, headers=headers()))
            began = time.monotonic_ns()

            def one(_):
                count = 0
                while time.monotonic_ns() - began < seconds * 1e9:
                    check(client.put(url, content=content, headers=headers()))
                    count += 1
                return count

            if connections == 1:
                return one(0), time.monotonic_ns() - began
            with concurrent.futures.ThreadPoolExecutor(connections) as pool:
                count = sum(pool.map(one, range(connections)))
            return count, time.monotonic_ns() - began

    async def tasks():
        async with httpx.AsyncClient(verify=trust, limits=limits) as client:
            check(await client.put(url, content=content, headers=headers()))
            began = time.monotonic_ns()

            async def one():
                count = 0
                while time.monotonic_ns() - began < seconds * 1e9:
                    check(await client.put(url, content=content, headers=headers()))
                    count += 1
                return count

            counts = await asyncio.gather(*(one() for _ in range(connections)))
            return sum(counts), time.monotonic_ns() - began

    found = [threads()] + ([asyncio.run(tasks())] if connections > 1 else [])
    puts, nanoseconds = max(found, key=lambda one: one[0] / one[1])
    print(json.dumps({"puts": puts, "nanoseconds": nanoseconds}))
    """#
}
