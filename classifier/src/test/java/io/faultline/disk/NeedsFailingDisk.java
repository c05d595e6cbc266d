package io.faultline.disk;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * A test, or a class of tests, that needs {@link FailingDisk}. A parameter of that type is a fresh disk, closed after
 * the test. Where the machine lacks something, the test is skipped and says what is missing; with {@code CI=true} in
 * the environment it fails.
 *
 * @see DiskExtension
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
@ExtendWith(DiskExtension.class)
public @interface NeedsFailingDisk {}
