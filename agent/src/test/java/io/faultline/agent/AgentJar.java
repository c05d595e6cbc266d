package io.faultline.agent;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.jar.asm.ClassWriter;
import net.bytebuddy.jar.asm.FieldVisitor;
import net.bytebuddy.jar.asm.Opcodes;

/** The agent's jar as it was packaged, and what tests make of it. */
final class AgentJar {

    private AgentJar() {}

    /** The jar under test. */
    static Path path() {
        String jar = System.getProperty("faultline.agent.jar");
        if (jar == null) {
            throw new IllegalStateException("the system property faultline.agent.jar names no jar");
        }
        return Path.of(jar).toAbsolutePath();
    }

    /** The version that the jar says it is. */
    static String version() {
        try (JarFile jar = new JarFile(path().toFile())) {
            return jar.getManifest().getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The same agent as another release. */
    static Path copyAs(String version, Path copy) throws IOException {
        Files.copy(path(), copy);
        try (FileSystem zip = FileSystems.newFileSystem(copy)) {
            Path file = zip.getPath(JarFile.MANIFEST_NAME);
            Manifest manifest;
            try (var in = Files.newInputStream(file)) {
                manifest = new Manifest(in);
            }
            manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, version);
            try (OutputStream out = Files.newOutputStream(file)) {
                manifest.write(out);
            }
        }
        return copy;
    }

    /** The same agent as a release whose hook did not have the members that came with version 2 of the contract. */
    static Path copyWithOlderHook(String version, Path copy) throws IOException {
        copyAs(version, copy);
        try (FileSystem zip = FileSystems.newFileSystem(copy)) {
            Path hook = zip.getPath("/faultline/java/nio/channels/FaultlineHook.classdata");
            ClassWriter older = new ClassWriter(0);
            ClassVisitor without = new ClassVisitor(Opcodes.ASM9, older) {
                @Override
                public FieldVisitor visitField(int access, String name, String type, String signature, Object value) {
                    return name.equals("emptied") ? null : super.visitField(access, name, type, signature, value);
                }
            };
            new ClassReader(Files.readAllBytes(hook)).accept(without, 0);
            Files.write(hook, older.toByteArray());
        }
        return copy;
    }

    /** A jar of which only the entry is there. */
    static Path copyWithoutCore(Path copy) throws IOException {
        Files.copy(path(), copy);
        try (FileSystem zip = FileSystems.newFileSystem(copy)) {
            Path core = zip.getPath("/faultline/io/faultline/agent/core");
            try (Stream<Path> classes = Files.list(core)) {
                for (Path each : classes.toList()) {
                    Files.delete(each);
                }
            }
        }
        return copy;
    }

    /** A jar of classes of the tests, with a manifest. */
    static Path ofTestClasses(Path jar, Manifest manifest, List<Path> classes, Path root) throws IOException {
        manifest.getMainAttributes().putIfAbsent(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            for (Path each : classes) {
                out.putNextEntry(new ZipEntry(root.relativize(each).toString()));
                Files.copy(each, out);
                out.closeEntry();
            }
        }
        return jar;
    }
}
