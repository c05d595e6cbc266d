package io.faultline.broker.api;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.NullableSchema;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.ByteUtils;

/**
 * Walks through a request by its schema, before any of it becomes an object, and refuses what would cost far more than its
 * bytes: so many array elements and tagged fields that the objects would not fit into memory, and arrays whose elements
 * crowd one place of a hash table. kafka-clients keeps arrays in tables with linear probing that it makes anew when they are
 * full; with equal keys that takes the cube of their number, minutes for a request of 4 KiB.
 */
public final class RequestShape {

    /** No smaller request has room for harm. */
    private static final int HARMLESS_BYTES = 1_024;

    /** An element, with what belongs to it, is some hundred bytes on the heap, and several requests are read at a time. */
    private static final int HEAP_BYTES_PER_ELEMENT = 4_096;

    private static final int ALWAYS_ALLOWED = 16_384;

    /** With good hashes, not even a million elements crowd half as much. */
    private static final int MOST_PROBES = 256;

    /** The capacities that a table which grows from nothing has: each is twice the last one, and one. */
    private static final int FIRST_CAPACITY = 5;

    /** What the elements of the protocol's keyed arrays are told apart by, in the order in which it is hashed. */
    private static final Set<String> KEYS = Set.of(
            "name",
            "topic",
            "topic_name",
            "topic_id",
            "path",
            "resource_type",
            "resource_name",
            "config_operation",
            "partition_index");

    private static final int PRIME = 31;

    private final ByteBuffer in;
    private final boolean hashesAbsentTopicId;
    private int elementsLeft = Math.max(ALWAYS_ALLOWED, (int)
            Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / HEAP_BYTES_PER_ELEMENT));

    private RequestShape(ByteBuffer in, boolean hashesAbsentTopicId) {
        this.in = in;
        this.hashesAbsentTopicId = hashesAbsentTopicId;
    }

    /**
     * Checks a request.
     *
     * @param request header and body; its position stays
     * @param api its API
     * @param version its version, which the API has
     * @throws InvalidRequestException if it would cost too much to read
     * @throws RuntimeException if it is malformed
     */
    public static void check(ByteBuffer request, ApiKeys api, short version) {
        if (request.remaining() <= HARMLESS_BYTES) {
            return;
        }
        boolean old = ProduceBeforeThree.applies(api, version);
        RequestShape shape = new RequestShape(request.duplicate(), api == ApiKeys.PRODUCE && version < 13);
        // The client id of a header is never of the compact kind.
        shape.struct(RequestHeaderData.SCHEMAS[api.requestHeaderVersion(version)], 0);
        Schema[] bodies = api.messageType.requestSchemas();
        if (old) {
            shape.struct(ProduceBeforeThree.schema(bodies), 1);
        } else {
            shape.struct(bodies[version], 0);
        }
    }

    /** Walks through a struct; returns the hash of what it is told apart by. */
    private int struct(Schema schema, int from) {
        BoundField[] fields = schema.fields();
        int hash = 0;
        for (int index = from; index < fields.length; index++) {
            Type type = fields[index].def.type;
            String name = fields[index].def.name;
            int value = value(type);
            if (KEYS.contains(name)) {
                hash = PRIME * hash + value;
                if (hashesAbsentTopicId && name.equals("name")) {
                    hash *= PRIME;
                }
            }
        }
        return hash;
    }

    /** Walks through a value; returns its hash if it may be a key. */
    private int value(Type type) {
        if (type.isArray()) {
            array(type);
        } else if (type instanceof TaggedFields) {
            tagged();
        } else if (type instanceof NullableSchema nullable) {
            if (in.get() >= 0) {
                return struct(nullable, 0);
            }
        } else if (type instanceof Schema schema) {
            return struct(schema, 0);
        } else {
            return scalar(type);
        }
        return 0;
    }

    private void array(Type type) {
        int count = type instanceof CompactArrayOf ? ByteUtils.readUnsignedVarint(in) - 1 : in.getInt();
        take(count);
        Type element = type.arrayElementType().orElseThrow();
        int[] hashes = new int[count > MOST_PROBES ? count : 0];
        for (int index = 0; index < count; index++) {
            int hash = value(element);
            if (hashes.length > 0) {
                hashes[index] = hash;
            }
        }
        boolean keyed = element instanceof Schema schema
                ? keyed(schema)
                : element == Type.STRING || element == Type.COMPACT_STRING || element == Type.UUID;
        if (hashes.length > 0 && keyed) {
            spread(hashes);
        }
    }

    private static boolean keyed(Schema schema) {
        for (BoundField field : schema.fields()) {
            if (KEYS.contains(field.def.name)) {
                return true;
            }
        }
        return false;
    }

    /** Looks at the capacities that the table is made with, and grows to; and at those of one that grows from nothing. */
    private static void spread(int... hashes) {
        int fitting = 2 * hashes.length + 1;
        spread(hashes, fitting);
        spread(hashes, 2 * fitting + 1);
        int growing = FIRST_CAPACITY;
        while (growing <= fitting) {
            growing = 2 * growing + 1;
        }
        spread(hashes, growing);
        spread(hashes, 2 * growing + 1);
    }

    private static void spread(int[] hashes, int capacity) {
        int[] counts = new int[capacity];
        for (int hash : hashes) {
            counts[(hash & Integer.MAX_VALUE) % capacity]++;
        }
        // Twice round: what does not fit before the end of the table goes on at its beginning.
        int pushedOn = 0;
        for (int step = 0; step < 2 * capacity; step++) {
            pushedOn = Math.max(0, pushedOn + counts[step % capacity] - 1);
            if (pushedOn > MOST_PROBES) {
                throw new InvalidRequestException("among " + hashes.length + " elements too many have equal keys");
            }
        }
    }

    private void tagged() {
        int count = ByteUtils.readUnsignedVarint(in);
        take(count);
        for (int index = 0; index < count; index++) {
            ByteUtils.readUnsignedVarint(in);
            skip(ByteUtils.readUnsignedVarint(in));
        }
    }

    private void take(int count) {
        if (count > elementsLeft || count > in.remaining()) {
            throw new InvalidRequestException(
                    count + " elements are too many: " + elementsLeft + " may follow, in " + in.remaining() + " bytes");
        }
        elementsLeft -= Math.max(0, count);
    }

    private int scalar(Type type) {
        if (type == Type.BOOLEAN || type == Type.INT8) {
            return in.get();
        } else if (type == Type.INT16 || type == Type.UINT16) {
            return in.getShort();
        } else if (type == Type.INT32 || type == Type.UNSIGNED_INT32) {
            return in.getInt();
        } else if (type == Type.INT64 || type == Type.FLOAT64) {
            return Long.hashCode(in.getLong());
        } else if (type == Type.UUID) {
            return new Uuid(in.getLong(), in.getLong()).hashCode();
        } else if (type == Type.STRING || type == Type.NULLABLE_STRING) {
            return text(in.getShort());
        } else if (type == Type.COMPACT_STRING || type == Type.COMPACT_NULLABLE_STRING) {
            return text(ByteUtils.readUnsignedVarint(in) - 1);
        } else if (type == Type.BYTES
                || type == Type.NULLABLE_BYTES
                || type == Type.RECORDS
                || type == Type.NULLABLE_RECORDS) {
            skip(in.getInt());
        } else {
            skip(ByteUtils.readUnsignedVarint(in) - 1);
        }
        return 0;
    }

    private int text(int length) {
        if (length <= 0) {
            return 0;
        }
        ByteBuffer text = in.slice(in.position(), Math.min(length, in.remaining()));
        skip(length);
        String decoded = StandardCharsets.UTF_8.decode(text).toString();
        if (length > HARMLESS_BYTES && Utils.utf8Length(decoded) > Short.MAX_VALUE) {
            // What is no UTF-8 becomes three times as long, and no response could name it.
            throw new InvalidRequestException("a text of " + length + " bytes is not UTF-8");
        }
        return decoded.hashCode();
    }

    private void skip(int length) {
        if (length > in.remaining()) {
            throw new InvalidRequestException(length + " bytes are claimed, " + in.remaining() + " are left");
        }
        in.position(in.position() + Math.max(0, length));
    }
}
