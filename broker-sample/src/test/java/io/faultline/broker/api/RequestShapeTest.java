package io.faultline.broker.api;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.message.AlterConfigsRequestData;
import org.apache.kafka.common.message.AlterConfigsRequestData.AlterConfigsResource;
import org.apache.kafka.common.message.DescribeGroupsRequestData;
import org.apache.kafka.common.message.ProduceRequestData;
import org.apache.kafka.common.message.ProduceRequestData.TopicProduceData;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.utils.internals.ByteUtils;
import org.junit.jupiter.api.Test;

class RequestShapeTest {

    private static final int MANY = 10_000;

    @Test
    void manyTopicsAreAccepted() {
        assertAccepted(ApiKeys.PRODUCE, 9, produce(9, index -> topic("topic-" + index, Uuid.ZERO_UUID)));
        assertAccepted(ApiKeys.PRODUCE, 13, produce(13, index -> topic("", Uuid.randomUuid())));
    }

    @Test
    void topicsThatCrowdOnePlaceOfATableAreRefused() {
        assertRefused(ApiKeys.PRODUCE, 9, produce(9, index -> topic("same", Uuid.ZERO_UUID)));
        assertRefused(ApiKeys.PRODUCE, 13, produce(13, index -> topic("", Uuid.ZERO_UUID)));
        assertRefused(ApiKeys.PRODUCE, 9, produce(9, index -> topic(ofEqualHash(index), Uuid.ZERO_UUID)));
    }

    /** "Aa" and "BB" have the same hash. */
    private static String ofEqualHash(int index) {
        return Integer.toBinaryString(index | 1 << 20).replace("0", "Aa").replace("1", "BB");
    }

    @Test
    void namesThatCrowdOnePlaceOfATableAreRefused() {
        List<String> same = IntStream.range(0, MANY).mapToObj(index -> "same").toList();
        DescribeGroupsRequestData body = new DescribeGroupsRequestData().setGroups(same);
        assertRefused(ApiKeys.DESCRIBE_GROUPS, 5, request(ApiKeys.DESCRIBE_GROUPS, 5, body));
    }

    @Test
    void resourcesAreToldApartByTheirTypeToo() {
        AlterConfigsRequestData request = new AlterConfigsRequestData();
        for (int index = 0; index < 200; index++) {
            for (byte type : new byte[] {2, 4}) {
                request.resources()
                        .add(new AlterConfigsResource().setResourceType(type).setResourceName("name-" + index));
            }
        }
        assertAccepted(ApiKeys.ALTER_CONFIGS, 2, request(ApiKeys.ALTER_CONFIGS, 2, request));
    }

    @Test
    void moreElementsThanTheHeapHasRoomForAreRefused() {
        int most = (int) (Runtime.getRuntime().maxMemory() / 4_096);
        ByteBuffer request = request(ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData());
        ByteBuffer large = ByteBuffer.allocate(request.remaining() + most + 10);
        large.put(request.limit(request.limit() - 3));
        ByteUtils.writeUnsignedVarint(most + 2, large);
        assertThatThrownBy(() -> RequestShape.check(large.rewind(), ApiKeys.DESCRIBE_GROUPS, (short) 5))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("too many");
    }

    @Test
    void anArrayThatClaimsMoreElementsThanThereAreBytesIsRefused() {
        ByteBuffer request = request(ApiKeys.DESCRIBE_GROUPS, 5, new DescribeGroupsRequestData());
        ByteBuffer large = ByteBuffer.allocate(2_000);
        large.put(request.limit(request.limit() - 3));
        ByteUtils.writeUnsignedVarint(5_000, large);
        assertThatThrownBy(() -> RequestShape.check(large.rewind(), ApiKeys.DESCRIBE_GROUPS, (short) 5))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("too many");
    }

    @Test
    void unknownTaggedFieldsArePassedOver() {
        DescribeGroupsRequestData request = new DescribeGroupsRequestData();
        request.unknownTaggedFields().add(new RawTaggedField(77, new byte[5_000]));
        assertAccepted(ApiKeys.DESCRIBE_GROUPS, 5, request(ApiKeys.DESCRIBE_GROUPS, 5, request));
    }

    /** Written element by element: a collection of equal ones would take minutes to fill. */
    private static ByteBuffer produce(int version, IntFunction<TopicProduceData> topic) {
        ByteBuffer empty = request(ApiKeys.PRODUCE, version, new ProduceRequestData());
        ByteBuffer request = ByteBuffer.allocate(1 << 20);
        // Behind an empty array there is only the number of tagged fields.
        request.put(empty.limit(empty.limit() - 2));
        ByteUtils.writeUnsignedVarint(MANY + 1, request);
        for (int index = 0; index < MANY; index++) {
            request.put(MessageUtil.toByteBufferAccessor(topic.apply(index), (short) version)
                    .buffer());
        }
        return request.put((byte) 0).flip();
    }

    private static TopicProduceData topic(String name, Uuid id) {
        return new TopicProduceData().setName(name).setTopicId(id);
    }

    private static void assertAccepted(ApiKeys api, int version, ByteBuffer request) {
        assertThatCode(() -> RequestShape.check(request, api, (short) version)).doesNotThrowAnyException();
    }

    private static void assertRefused(ApiKeys api, int version, ByteBuffer request) {
        assertThatThrownBy(() -> RequestShape.check(request, api, (short) version))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("equal keys");
    }

    private static ByteBuffer request(ApiKeys api, int version, ApiMessage body) {
        RequestHeaderData header = new RequestHeaderData()
                .setRequestApiKey(api.id)
                .setRequestApiVersion((short) version)
                .setClientId("test");
        ByteBuffer head = MessageUtil.toByteBufferAccessor(header, api.requestHeaderVersion((short) version))
                .buffer();
        ByteBuffer rest =
                MessageUtil.toByteBufferAccessor(body, (short) version).buffer();
        return ByteBuffer.allocate(head.remaining() + rest.remaining())
                .put(head)
                .put(rest)
                .flip();
    }
}
