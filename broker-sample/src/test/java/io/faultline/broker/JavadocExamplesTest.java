package io.faultline.broker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What people copy from the documentation works. */
class JavadocExamplesTest {

    private static final Path SOURCES = Path.of("src/main/java/io/faultline/broker");
    private static final Pattern EXAMPLE = Pattern.compile("<pre>\\{@code\\n(.*?)\\n \\* }</pre>", Pattern.DOTALL);

    @TempDir
    Path classes;

    @Test
    void theExampleOfTheExtensionIsATestThatRuns() throws IOException {
        String test = Files.readString(Path.of("src/test/java/io/faultline/broker/OrdersTest.java"));
        assertThat(test).contains(example("junit/BrokerExtension.java", 0));
    }

    @Test
    void theExampleOfSeveralBrokersCompiles() throws IOException {
        assertCompiles("class Example {\n" + example("junit/BrokerExtension.java", 1) + "\n}");
    }

    @Test
    void theExampleOfTheEmbeddedBrokerCompiles() throws IOException {
        assertCompiles("class Example { void use() throws Exception {\n" + example("EmbeddedBroker.java", 0) + "\n}}");
    }

    @Test
    void theExampleOfTheMetersCompiles() throws IOException {
        assertCompiles("class Example { void use(EmbeddedBroker broker, MeterRegistry registry) {\n"
                + example("metrics/BrokerMeters.java", 0) + "\n}}");
    }

    private static String example(String file, int index) throws IOException {
        List<String> examples = EXAMPLE.matcher(Files.readString(SOURCES.resolve(file)))
                .results()
                .map(JavadocExamplesTest::code)
                .toList();
        return examples.get(index);
    }

    private static String code(MatchResult example) {
        return example.group(1)
                .lines()
                .map(line -> line.replaceFirst("^ \\* ?", ""))
                .collect(Collectors.joining("\n"));
    }

    private void assertCompiles(String code) {
        String source = """
                import io.faultline.broker.EmbeddedBroker;
                import io.faultline.broker.junit.*;
                import io.faultline.broker.metrics.*;
                import io.micrometer.core.instrument.*;
                import org.junit.jupiter.api.Test;
                import org.junit.jupiter.api.extension.RegisterExtension;
                """ + code;
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter errors = new StringWriter();
        boolean compiled = compiler.getTask(
                        errors,
                        null,
                        null,
                        List.of("-proc:none", "-d", classes.toString(), "-cp", System.getProperty("java.class.path")),
                        null,
                        List.of(new Source(source)))
                .call();
        assertThat(compiled).as("%s%n%s", source, errors).isTrue();
    }

    private static final class Source extends SimpleJavaFileObject {

        private final String content;

        private Source(String content) {
            super(URI.create("string:///Example.java"), Kind.SOURCE);
            this.content = content;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return content;
        }
    }
}
