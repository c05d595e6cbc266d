package io.faultline.agent;

import com.sun.tools.attach.AgentInitializationException;
import com.sun.tools.attach.AgentLoadException;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassWriter;

/** The byte code of a class as it is in force in a host. */
final class WovenCode {

    private WovenCode() {}

    /**
     * A digest of it. The JVM hands out a class file that it puts together anew each time, with its constants in whatever order: what is digested is
     * the same class written anew.
     */
    static String of(HostJvm host, String className, Path scratch) {
        try {
            VirtualMachine machine = VirtualMachine.attach(Long.toString(host.pid()));
            try {
                machine.loadAgent(HostJar.host().toString(), className + " " + scratch);
            } finally {
                machine.detach();
            }
            ClassWriter anew = new ClassWriter(0);
            new ClassReader(Files.readAllBytes(scratch)).accept(anew, 0);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(anew.toByteArray()));
        } catch (IOException
                | AttachNotSupportedException
                | AgentLoadException
                | AgentInitializationException
                | NoSuchAlgorithmException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
