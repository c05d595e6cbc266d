package io.faultline.broker.api;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.utils.Utils;

/** What a client may do, where it asks: everything that can be done, because there is no authorizer. */
enum AuthorizedOperations {
    TOPIC(
            AclOperation.READ,
            AclOperation.WRITE,
            AclOperation.CREATE,
            AclOperation.DELETE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS),
    GROUP(
            AclOperation.READ,
            AclOperation.DELETE,
            AclOperation.DESCRIBE,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS),
    CLUSTER(
            AclOperation.CREATE,
            AclOperation.ALTER,
            AclOperation.DESCRIBE,
            AclOperation.CLUSTER_ACTION,
            AclOperation.DESCRIBE_CONFIGS,
            AclOperation.ALTER_CONFIGS,
            AclOperation.IDEMPOTENT_WRITE);

    private static final int NOT_ASKED = Integer.MIN_VALUE;

    private final int bits;

    AuthorizedOperations(AclOperation... operations) {
        bits = Utils.to32BitField(
                Arrays.stream(operations).map(AclOperation::code).collect(Collectors.toSet()));
    }

    /** As responses have it: a bit for each operation, or that nobody asked. */
    int bits(boolean asked) {
        return asked ? bits : NOT_ASKED;
    }
}
