package io.faultline.broker.fuzz;

import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.CompactArrayOf;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.NullableSchema;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.utils.internals.ByteUtils;

/**
 * Writes a message by its schema, field by field. Where decided so it departs from the schema: values at their limits, null
 * where there is no null, lengths that lie, elements that come twice or not at all, tagged fields that nobody knows.
 */
final class MessageWriter {

    private static final int CAPACITY = 1 << 18;
    private static final int LONGEST_ARRAY = 3;
    private static final long[] LIMITS = {
        0,
        -1,
        1,
        Byte.MAX_VALUE,
        Byte.MIN_VALUE,
        Short.MAX_VALUE,
        Short.MIN_VALUE,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        1L << 32
    };

    private final Decisions decisions;
    private final Vocabulary vocabulary;
    private final boolean mutate;
    private final ByteBuffer out = ByteBuffer.allocate(CAPACITY);

    MessageWriter(Decisions decisions, Vocabulary vocabulary, boolean mutate) {
        this.decisions = decisions;
        this.vocabulary = vocabulary;
        this.mutate = mutate;
    }

    /** Writes a message without its first so many fields. */
    void write(Schema schema, int from) {
        try {
            BoundField[] fields = schema.fields();
            for (int index = from; index < fields.length; index++) {
                field(fields[index].def);
            }
        } catch (BufferOverflowException large) {
            // What fits is sent: a message that breaks off.
            out.flip();
            return;
        }
        out.flip();
    }

    ByteBuffer written() {
        return out;
    }

    private boolean departs() {
        return mutate && decisions.oneIn(24);
    }

    private void field(Field field) {
        if (departs()) {
            return;
        }
        int start = out.position();
        value(field.type, field.name);
        if (departs()) {
            out.put(out.duplicate().position(start).limit(out.position()).slice());
        }
    }

    private void value(Type type, String name) {
        if (type.isArray()) {
            array(type, name);
        } else if (type instanceof TaggedFields tagged) {
            tagged(tagged);
        } else if (type instanceof NullableSchema nullable) {
            boolean absent = decisions.oneIn(2);
            out.put((byte) (departs() ? decisions.below(256) : absent ? -1 : 1));
            if (!absent) {
                struct(nullable);
            }
        } else if (type instanceof Schema schema) {
            struct(schema);
        } else {
            scalar(type, name);
        }
    }

    private void struct(Schema schema) {
        for (BoundField field : schema.fields()) {
            field(field.def);
        }
    }

    private void array(Type type, String name) {
        boolean compact = type instanceof CompactArrayOf;
        if (type.isNullable() ? decisions.oneIn(5) : departs()) {
            length(-1, compact, Integer.BYTES);
            return;
        }
        int count = decisions.below(LONGEST_ARRAY);
        length(count, compact, Integer.BYTES);
        Type element = type.arrayElementType().orElseThrow();
        for (int index = 0; index < count; index++) {
            int start = out.position();
            value(element, name);
            if (departs()) {
                out.put(out.duplicate().position(start).limit(out.position()).slice());
            }
        }
    }

    /** A length, -1 for null; or another one. */
    private void length(int length, boolean compact, int width) {
        long claimed = length;
        if (departs()) {
            claimed = decisions.oneIn(2) ? length + decisions.of(-1, 1, 2, 100) : decisions.of(LIMITS);
        }
        if (compact) {
            ByteUtils.writeUnsignedVarint((int) claimed + 1, out);
        } else if (width == Short.BYTES) {
            out.putShort((short) claimed);
        } else {
            out.putInt((int) claimed);
        }
    }

    private void tagged(TaggedFields known) {
        int unknown = departs() ? decisions.below(3) : 0;
        boolean all = decisions.oneIn(3);
        int count = (all ? known.fields().size() : 0) + unknown;
        ByteUtils.writeUnsignedVarint(departs() ? (int) decisions.of(LIMITS) : count, out);
        if (all) {
            known.fields().forEach((tag, field) -> {
                ByteUtils.writeUnsignedVarint(tag, out);
                MessageWriter content = new MessageWriter(decisions, vocabulary, mutate);
                content.field(field);
                bytes(content.out.flip(), true);
            });
        }
        for (int index = 0; index < unknown; index++) {
            ByteUtils.writeUnsignedVarint(1_000 + decisions.below(3), out);
            bytes(ByteBuffer.allocate(decisions.below(5)), true);
        }
    }

    private void bytes(ByteBuffer content, boolean compact) {
        if (compact) {
            ByteUtils.writeUnsignedVarint(departs() ? (int) decisions.of(LIMITS) : content.remaining(), out);
        }
        out.put(content);
    }

    private void scalar(Type type, String name) {
        if (type == Type.BOOLEAN) {
            out.put((byte) (departs() ? decisions.below(256) : decisions.below(2)));
        } else if (type == Type.INT8) {
            out.put((byte) number(name));
        } else if (type == Type.INT16 || type == Type.UINT16) {
            out.putShort((short) number(name));
        } else if (type == Type.INT32 || type == Type.UNSIGNED_INT32) {
            out.putInt((int) number(name));
        } else if (type == Type.INT64) {
            out.putLong(number(name));
        } else if (type == Type.FLOAT64) {
            out.putDouble(Double.longBitsToDouble(number(name)));
        } else if (type == Type.UUID) {
            type.write(out, vocabulary.uuid(decisions));
        } else if (isRecords(type)) {
            content(FuzzedRecords.of(decisions, vocabulary, departs()), type, Integer.BYTES);
        } else if (isBytes(type)) {
            content(ByteBuffer.wrap(new byte[decisions.below(20)]), type, Integer.BYTES);
        } else {
            String text = vocabulary.string(name, decisions);
            boolean absent = text == null || type.isNullable() && decisions.oneIn(6);
            byte[] utf8 = departs() ? mutatedText() : (text == null ? "" : text).getBytes(StandardCharsets.UTF_8);
            content(absent && type.isNullable() ? null : ByteBuffer.wrap(utf8), type, Short.BYTES);
        }
    }

    private long number(String name) {
        return departs() ? decisions.of(LIMITS) : vocabulary.number(name, decisions);
    }

    private byte[] mutatedText() {
        byte[] text = new byte[decisions.oneIn(8) ? 1 << 15 : decisions.below(300)];
        for (int index = 0; index < Math.min(text.length, 16); index++) {
            text[index] = (byte) decisions.below(256);
        }
        return text;
    }

    private void content(ByteBuffer content, Type type, int width) {
        boolean compact = isCompact(type);
        if (content == null) {
            length(-1, compact, width);
        } else {
            length(content.remaining(), compact, width);
            out.put(content);
        }
    }

    private static boolean isRecords(Type type) {
        return type == Type.RECORDS
                || type == Type.COMPACT_RECORDS
                || type == Type.NULLABLE_RECORDS
                || type == Type.COMPACT_NULLABLE_RECORDS;
    }

    private static boolean isBytes(Type type) {
        return type == Type.BYTES
                || type == Type.COMPACT_BYTES
                || type == Type.NULLABLE_BYTES
                || type == Type.COMPACT_NULLABLE_BYTES;
    }

    private static boolean isCompact(Type type) {
        return type == Type.COMPACT_STRING
                || type == Type.COMPACT_NULLABLE_STRING
                || type == Type.COMPACT_BYTES
                || type == Type.COMPACT_NULLABLE_BYTES
                || type == Type.COMPACT_RECORDS
                || type == Type.COMPACT_NULLABLE_RECORDS;
    }
}
