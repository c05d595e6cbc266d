package io.faultline.agent;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.security.CodeSource;
import java.security.ProtectionDomain;
import java.security.cert.Certificate;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * Loads the agent from a folder inside its jar in which no other loader finds a class, with nothing but the JDK above it. So the host meets none of
 * the agent's libraries and the agent none of the host's.
 */
final class IsolatedLoader extends ClassLoader implements AutoCloseable {

    private static final String FOLDER = "faultline/";
    private static final String PLATFORM_LOADER = "jdk.internal.loader.ClassLoaders$PlatformClassLoader";
    private static final String UNSAFE = "sun.misc.Unsafe";
    private static final String CLASS_SUFFIX = ".classdata";
    private static final int CHUNK = 8192;

    private final JarFile jar;
    private final ProtectionDomain domain;

    static {
        registerAsParallelCapable();
    }

    /**
     * Opens a jar.
     *
     * @param jar the agent's jar
     * @param parent what is above it
     */
    IsolatedLoader(File jar, ClassLoader parent) throws Exception {
        super(parent);
        this.jar = new JarFile(jar);
        this.domain =
                new ProtectionDomain(new CodeSource(jar.toURI().toURL(), (Certificate[]) null), null, this, null);
    }

    /**
     * Java 9's platform loader, which sees modules such as jdk.attach. This class is compiled for Java 8, which has no method for it. By reflection is the way that always works, and one that reads annotations and so spins
     * classes while the host waits; so the loader is looked for above the application's first.
     */
    static ClassLoader platformLoader() throws Exception {
        for (ClassLoader loader = ClassLoader.getSystemClassLoader(); loader != null; loader = loader.getParent()) {
            if (PLATFORM_LOADER.equals(loader.getClass().getName())) {
                return loader;
            }
        }
        return (ClassLoader) ClassLoader.class.getMethod("getPlatformClassLoader").invoke(null);
    }

    /**
     * Keeps {@code sun.misc.Unsafe} from libraries that would use it where they can: newer JDKs print warnings into the host's standard error when somebody does. All of them work without.
     */
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        if (UNSAFE.equals(name)) {
            throw new ClassNotFoundException(name);
        }
        return super.loadClass(name, resolve);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] bytes;
        try {
            bytes = bytesOf(name.replace('.', '/') + CLASS_SUFFIX);
        } catch (IOException | IllegalStateException unreadable) { // the latter where the jar is closed
            throw new ClassNotFoundException(name, unreadable);
        }
        if (bytes == null) {
            throw new ClassNotFoundException(name);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded != null ? loaded : defineClass(name, bytes, 0, bytes.length, domain);
        }
    }

    @Override
    public InputStream getResourceAsStream(String name) {
        try {
            String entry = name.endsWith(".class")
                    ? name.substring(0, name.length() - ".class".length()) + CLASS_SUFFIX
                    : name;
            byte[] bytes = bytesOf(entry);
            return bytes == null ? super.getResourceAsStream(name) : new ByteArrayInputStream(bytes);
        } catch (IOException | IllegalStateException unreadable) {
            return null;
        }
    }

    /** Closes the jar. Classes that are loaded go on to work; no further one can be loaded. */
    @Override
    public void close() throws IOException {
        jar.close();
    }

    private byte[] bytesOf(String name) throws IOException {
        JarEntry entry = jar.getJarEntry(FOLDER + name);
        if (entry == null) {
            return null;
        }
        try (InputStream in = jar.getInputStream(entry)) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream(Math.max(CHUNK, (int) entry.getSize()));
            byte[] chunk = new byte[CHUNK];
            for (int read = in.read(chunk); read >= 0; read = in.read(chunk)) {
                bytes.write(chunk, 0, read);
            }
            return bytes.toByteArray();
        }
    }
}
