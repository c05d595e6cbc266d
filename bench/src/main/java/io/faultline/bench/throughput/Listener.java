package io.faultline.bench.throughput;

/** What a broker speaks to its clients. */
enum Listener {
    PLAINTEXT,
    TLS
}
