package io.faultline.classifier;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Verdicts and owners as maps of JDK types, the form in which they cross from an agent to a copy of this library that
 * another class loader loaded.
 *
 * <p>A contract between versions: keys may be added, never renamed or given another type. A reader takes what it knows: a missing
 * key is as good as null, a constant that it does not know is read as the least committing one.
 */
public final class MapForm {

    private MapForm() {}

    /**
     * A verdict as a map.
     *
     * @param classification the verdict
     * @return a new map; its keys are the names of the record's components
     */
    public static Map<String, Object> of(Classification classification) {
        Map<String, Object> form = new HashMap<>();
        form.put("verdict", classification.verdict().name());
        form.put("reason", classification.reason().name());
        form.put("hint", classification.hint().name());
        form.put("action", classification.action().name());
        form.put("directory", classification.directory());
        form.put("owner", classification.owner());
        form.put("file", classification.file());
        form.put("position", classification.region().position());
        form.put("count", classification.region().count());
        form.put("unreadablePosition", classification.unreadablePosition());
        form.put("targetKind", classification.targetKind().name());
        form.put("mountPoint", classification.mount().point());
        form.put("fileSystemType", classification.mount().fileSystemType());
        form.put("device", classification.mount().device());
        form.put("transferFailure", classification.transferFailure());
        form.put("readFailure", classification.readFailure());
        form.put("failedAt", classification.failedAt());
        form.put("waited", classification.waited());
        form.put("took", classification.took());
        form.put("channel", classification.channel());
        form.put("target", classification.target());
        return form;
    }

    /**
     * A map as a verdict.
     *
     * @param form what {@link #of(Classification)} of this or another version made
     * @return the verdict, never null
     */
    public static Classification toClassification(Map<String, ?> form) {
        return new Classification(
                constant(Verdict.class, form.get("verdict"), Verdict.INCONCLUSIVE),
                constant(Reason.class, form.get("reason"), Reason.UNKNOWN),
                constant(Hint.class, form.get("hint"), Hint.NONE),
                constant(OwnerAction.class, form.get("action"), OwnerAction.NONE),
                get(form, "directory", String.class, ""),
                get(form, "owner", String.class, null),
                get(form, "file", String.class, null),
                new Region(
                        Math.max(0, get(form, "position", Long.class, 0L)),
                        Math.max(0, get(form, "count", Long.class, 0L))),
                get(form, "unreadablePosition", Long.class, -1L),
                constant(TargetKind.class, form.get("targetKind"), TargetKind.OTHER),
                new Mount(
                        get(form, "mountPoint", String.class, ""),
                        get(form, "fileSystemType", String.class, ""),
                        get(form, "device", String.class, "")),
                get(form, "transferFailure", Throwable.class, null),
                get(form, "readFailure", IOException.class, null),
                get(form, "failedAt", Instant.class, Instant.EPOCH),
                get(form, "waited", Duration.class, Duration.ZERO),
                get(form, "took", Duration.class, Duration.ZERO),
                get(form, "channel", FileChannel.class, null),
                get(form, "target", WritableByteChannel.class, null));
    }

    /**
     * An owner as a map of functions.
     *
     * @param owner the owner
     * @return a new map
     */
    public static Map<String, Object> ofOwner(LogDirOwner owner) {
        Supplier<Collection<String>> directories = owner::directories;
        Predicate<String> isOffline = owner::isOffline;
        BiFunction<String, Map<String, Object>, String> takeOffline = (directory, why) ->
                owner.takeOffline(directory, toClassification(why)).name();
        Map<String, Object> form = new HashMap<>();
        form.put("name", owner.name());
        form.put("directories", directories);
        form.put("isOffline", isOffline);
        form.put("takeOffline", takeOffline);
        return form;
    }

    /**
     * A map of functions as an owner.
     *
     * @param form what {@link #ofOwner} of this or another version made
     * @return an owner that calls the functions; two of the same map are equal
     * @throws ClassCastException if a function has another type
     * @throws NullPointerException if a function is missing
     */
    @SuppressWarnings("unchecked") // the contract says what the functions take and return
    public static LogDirOwner toOwner(Map<String, Object> form) {
        return new OwnerOfMap(
                form,
                get(form, "name", String.class, "owner"),
                (Supplier<Collection<String>>) form.get("directories"),
                (Predicate<String>) form.get("isOffline"),
                (BiFunction<String, Map<String, Object>, String>) form.get("takeOffline"));
    }

    private static <T> T get(Map<String, ?> form, String key, Class<T> type, T otherwise) {
        Object value = form.get(key);
        return type.isInstance(value) ? type.cast(value) : otherwise;
    }

    private static <E extends Enum<E>> E constant(Class<E> type, Object name, E otherwise) {
        try {
            return name == null ? otherwise : Enum.valueOf(type, name.toString().toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException newer) {
            return otherwise;
        }
    }

    private record OwnerOfMap(
            Map<String, Object> form,
            String name,
            Supplier<Collection<String>> listed,
            Predicate<String> offline,
            BiFunction<String, Map<String, Object>, String> take)
            implements LogDirOwner {

        private OwnerOfMap {
            Objects.requireNonNull(listed, "directories");
            Objects.requireNonNull(offline, "isOffline");
            Objects.requireNonNull(take, "takeOffline");
        }

        @Override
        public Collection<String> directories() {
            List<String> copy = new ArrayList<>();
            for (Object directory : listed.get()) {
                copy.add(String.valueOf(directory));
            }
            return copy;
        }

        @Override
        public boolean isOffline(String directory) {
            return offline.test(directory);
        }

        @Override
        public OwnerAction takeOffline(String directory, Classification why) {
            return constant(OwnerAction.class, take.apply(directory, of(why)), OwnerAction.ERROR);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof OwnerOfMap that && that.form == form;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(form);
        }
    }
}
