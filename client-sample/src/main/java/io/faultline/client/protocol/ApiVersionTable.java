package io.faultline.client.protocol;

import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.kafka.common.message.ApiVersionsResponseData;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;

/** The versions that a broker and this client have in common. Immutable. */
public final class ApiVersionTable {

    private final Map<ApiKeys, Range> common;

    private ApiVersionTable(Map<ApiKeys, Range> common) {
        this.common = common;
    }

    /**
     * What is common with a broker.
     *
     * @param response what the broker announced
     * @return the table; APIs without a common version are not in it
     */
    public static ApiVersionTable of(ApiVersionsResponseData response) {
        Map<ApiKeys, Range> common = new EnumMap<>(ApiKeys.class);
        for (ApiVersion announced : response.apiKeys()) {
            if (ApiKeys.hasId(announced.apiKey())) {
                ApiKeys api = ApiKeys.forId(announced.apiKey());
                int lowest = Math.max(announced.minVersion(), api.oldestVersion());
                int highest = Math.min(announced.maxVersion(), api.latestVersion());
                if (lowest <= highest) {
                    common.put(api, new Range((short) lowest, (short) highest));
                }
            }
        }
        return new ApiVersionTable(common);
    }

    /**
     * The newest common version of an API within limits.
     *
     * @param api the API
     * @param lowest the oldest version that will do
     * @param highest the newest version that will do
     * @return the version, empty if there is none
     */
    public OptionalInt newest(ApiKeys api, short lowest, short highest) {
        Range range = common.get(api);
        if (range == null) {
            return OptionalInt.empty();
        }
        int version = Math.min(range.highest, highest);
        return version >= Math.max(range.lowest, lowest) ? OptionalInt.of(version) : OptionalInt.empty();
    }

    private record Range(short lowest, short highest) {}
}
