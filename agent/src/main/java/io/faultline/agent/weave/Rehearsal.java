package io.faultline.agent.weave;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static net.bytebuddy.matcher.ElementMatchers.none;
import static net.bytebuddy.matcher.ElementMatchers.takesArguments;

import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.dynamic.ClassFileLocator;
import net.bytebuddy.dynamic.scaffold.MethodGraph;
import net.bytebuddy.dynamic.scaffold.TypeValidation;
import net.bytebuddy.implementation.Implementation;

/** Weaves the beginnings of the JDK's transfers and positional reads, in a JVM that rehearses failures, and only there. */
final class Rehearsal {

    private Rehearsal() {}

    /**
     * Weaves the JDK's file channel.
     *
     * @param loaded the class
     * @param bytes the class, as it is woven already
     * @return the class woven
     */
    static byte[] weave(Class<?> loaded, byte[] bytes) {
        return new ByteBuddy()
                .with(TypeValidation.DISABLED)
                .with(Implementation.Context.Disabled.Factory.INSTANCE)
                .with(MethodGraph.Compiler.ForDeclaredMethods.INSTANCE)
                .ignore(none())
                .decorate(TypeDescription.ForLoadedType.of(loaded), ClassFileLocator.Simple.of(loaded.getName(), bytes))
                .visit(advice(RehearsedTransferAdvice.class)
                        .on(named("transferTo").and(takesArguments(long.class, long.class, WritableByteChannel.class))))
                .visit(advice(RehearsedReadAdvice.class)
                        .on(named("read").and(takesArguments(ByteBuffer.class, long.class))))
                .make()
                .getBytes();
    }

    private static Advice advice(Class<?> advice) {
        return Advice.to(advice, ClassFileLocator.ForClassLoader.of(advice.getClassLoader()));
    }
}
