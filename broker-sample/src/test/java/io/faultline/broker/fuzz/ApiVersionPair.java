package io.faultline.broker.fuzz;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;

/**
 * One version of one API.
 *
 * @param api the API
 * @param version the version
 */
record ApiVersionPair(ApiKeys api, short version) {

    /** By key, then by version. */
    static final Comparator<ApiVersionPair> ORDER =
            Comparator.comparing(ApiVersionPair::api).thenComparing(ApiVersionPair::version);

    /** All that are announced, in the order of their keys. */
    static List<ApiVersionPair> announced(Iterable<ApiVersion> ranges) {
        List<ApiVersionPair> pairs = new ArrayList<>();
        for (ApiVersion range : ranges) {
            IntStream.rangeClosed(range.minVersion(), range.maxVersion())
                    .forEach(version -> pairs.add(new ApiVersionPair(ApiKeys.forId(range.apiKey()), (short) version)));
        }
        pairs.sort(ORDER);
        return List.copyOf(pairs);
    }

    @Override
    public String toString() {
        return api.name + " v" + version;
    }
}
