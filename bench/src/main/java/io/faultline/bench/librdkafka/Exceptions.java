package io.faultline.bench.librdkafka;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** The tests that are not run, because they are about what the bundled broker does not claim to have. */
final class Exceptions {

    private static final String TRANSACTIONS = "transactions: the bundled broker has none, and refuses them for good";
    private static final String SHARE_GROUPS =
            "share groups, which came with Kafka 4.2: the bundled broker announces none of their requests";
    private static final String BROKER_SETTINGS =
            "sets a Kerberos option of the running broker: the settings of the bundled one are those of its start";

    /** By the beginning of the title. */
    private static final Map<String, String> REASONS = reasons();

    private Exceptions() {}

    private static Map<String, String> reasons() {
        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put("0098_consumer_txn", TRANSACTIONS);
        reasons.put("0103_transactions", TRANSACTIONS);
        reasons.put("0129_fetch_aborted_msgs", TRANSACTIONS);
        reasons.put("017", SHARE_GROUPS);
        reasons.put("018", SHARE_GROUPS);
        reasons.put("0081_admin/do_test_AlterConfigs", BROKER_SETTINGS);
        reasons.put("0081_admin/do_test_IncrementalAlterConfigs", BROKER_SETTINGS);
        reasons.put(
                "0081_admin/do_test_DescribeConfigs_groups",
                "settings of groups are those of the new consumer protocol, which the bundled broker does not announce");
        reasons.put("0081_admin/do_test_UserScramCredentials", "SASL: the bundled broker has PLAINTEXT and TLS");
        return reasons;
    }

    /** Why a test is not run; empty if it is. */
    static Optional<String> reason(LibrdkafkaTest test) {
        return REASONS.entrySet().stream()
                .filter(entry -> test.title().startsWith(entry.getKey()))
                .map(Map.Entry::getValue)
                .findFirst();
    }
}
