package io.faultline.broker.api;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.message.ApiVersionsResponseData.ApiVersion;
import org.apache.kafka.common.protocol.ApiKeys;

/** Which versions of which APIs the broker announces, and answers. Immutable. */
public final class SupportedVersions {

    private final Map<ApiKeys, ApiVersion> byApi = new EnumMap<>(ApiKeys.class);

    /**
     * All stable versions that kafka-clients knows of some APIs; of Produce those before, too.
     *
     * @param apis the APIs
     */
    public SupportedVersions(Collection<ApiKeys> apis) {
        for (ApiKeys api : apis) {
            byApi.put(
                    api,
                    new ApiVersion()
                            .setApiKey(api.id)
                            .setMinVersion(api == ApiKeys.PRODUCE ? 0 : api.oldestVersion())
                            .setMaxVersion(api.latestVersion(false)));
        }
    }

    /**
     * Says whether a version is announced.
     *
     * @param api the API
     * @param version the version
     * @return true if it is
     */
    public boolean contains(ApiKeys api, short version) {
        ApiVersion range = byApi.get(api);
        return range != null && version >= range.minVersion() && version <= range.maxVersion();
    }

    /**
     * The ranges, for a response.
     *
     * @return copies that belong to the caller
     */
    public List<ApiVersion> ranges() {
        List<ApiVersion> copies = new ArrayList<>();
        byApi.values().forEach(range -> copies.add(range.duplicate()));
        return copies;
    }
}
