package io.faultline.disk;

import java.io.IOException;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Parameter;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/**
 * Hands disks to tests, and skips tests where the machine cannot have them; with {@code CI=true} in the environment it
 * lets them fail instead, so that no green run hides a disk that was not tested. It comes with
 * {@link NeedsFailingDisk}, {@link NeedsTruncatedDisk} and {@link NeedsHungDisk}.
 *
 * <p>Every parameter of a test of type {@link FailingDisk}, {@link TruncatedDisk} or {@link HungDisk} is a disk of its
 * own. The first of a type is the same for a test, its {@code @BeforeEach}, its {@code @AfterEach} and its constructor;
 * so is the second, and so on. What a {@code @BeforeAll} was given is shared by the tests of the class. A disk is
 * closed at the end of the test, or the class, it was made for.
 */
public final class DiskExtension implements ExecutionCondition, ParameterResolver {

    private static final Namespace DISKS = Namespace.create(DiskExtension.class);

    /** One of the disks of a test. */
    private record DiskKey(Class<?> type, long number) {}

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        List<String> missing = context.getElement().stream()
                .flatMap(DiskExtension::missingFor)
                .distinct()
                .toList();
        return evaluate(missing, "true".equals(System.getenv("CI")));
    }

    private static Stream<String> missingFor(AnnotatedElement test) {
        Stream.Builder<List<String>> missing = Stream.builder();
        if (AnnotationSupport.isAnnotated(test, NeedsFailingDisk.class)) {
            missing.add(DiskTools.missingForFailingDisk());
        }
        if (AnnotationSupport.isAnnotated(test, NeedsTruncatedDisk.class)) {
            missing.add(DiskTools.missingForTruncatedDisk());
        }
        if (AnnotationSupport.isAnnotated(test, NeedsHungDisk.class)) {
            missing.add(DiskTools.missingForHungDisk());
        }
        return missing.build().flatMap(List::stream);
    }

    static ConditionEvaluationResult evaluate(List<String> missing, boolean continuousIntegration) {
        if (missing.isEmpty()) {
            return ConditionEvaluationResult.enabled("All is there that the disks need");
        }
        String reason = "The disks need what is missing here: " + String.join(", ", missing);
        if (continuousIntegration) {
            throw new IllegalStateException(reason + " (not skipped, since CI=true)");
        }
        return ConditionEvaluationResult.disabled(reason);
    }

    @Override
    public ExtensionContextScope getTestInstantiationExtensionContextScope(ExtensionContext rootContext) {
        return ExtensionContextScope.TEST_METHOD;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == FailingDisk.class || type == TruncatedDisk.class || type == HungDisk.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        Parameter[] parameters = parameter.getDeclaringExecutable().getParameters();
        long number = Stream.of(parameters)
                .limit(parameter.getIndex())
                .filter(before -> before.getType() == type)
                .count();
        // The store closes what it holds.
        return context.getStore(DISKS).computeIfAbsent(new DiskKey(type, number), DiskExtension::create);
    }

    private static AutoCloseable create(DiskKey key) {
        try {
            if (key.type() == FailingDisk.class) {
                return FailingDisk.btrfs();
            }
            return key.type() == TruncatedDisk.class ? TruncatedDisk.ext4() : HungDisk.bindfs();
        } catch (IOException e) {
            throw new ParameterResolutionException("No " + key.type().getSimpleName() + ": " + e.getMessage(), e);
        }
    }
}
