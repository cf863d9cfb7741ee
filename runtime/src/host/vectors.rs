//! Work of ours in the vector instructions of the host.

use wavejit_isa::HostLevel;

/// Work that is compiled once for each level.
pub trait VectorWork {
    /// Does it: to be `#[inline(always)]`, as all is that it calls and that is to be vectors. A closure would be a function of its own.
    fn run(self);
}

/// Does some work in the vector instructions that the host has. Results do not depend on them: nothing is contracted or reordered.
#[inline]
pub fn with_host_vectors(work: impl VectorWork) {
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        fn avx2(work: impl VectorWork) {
            work.run();
        }
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512dq,avx512vl")]
        fn avx512(work: impl VectorWork) {
            work.run();
        }
        match HostLevel::get() {
            // SAFETY: the level says that the host has these.
            HostLevel::Avx512 => return unsafe { avx512(work) },
            // SAFETY: as above.
            HostLevel::Avx2 => return unsafe { avx2(work) },
            HostLevel::Baseline => {}
        }
    }
    work.run();
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Squares<'a>(&'a [f32], &'a mut Vec<f32>);

    impl VectorWork for Squares<'_> {
        #[inline(always)]
        fn run(self) {
            self.1.extend(self.0.iter().map(|v| v * v - 1.0));
        }
    }

    // Products are rounded before they are added, whatever the host could do at once.
    #[test]
    fn nothing_is_contracted() {
        let x: Vec<f32> = (0..64u8).map(|n| 1.0 + f32::from(n) / 4096.0).collect();
        let rounded: Vec<f32> = x.iter().map(|v| (f64::from(*v) * f64::from(*v)) as f32 - 1.0).collect();
        let mut found = vec![];
        with_host_vectors(Squares(&x, &mut found));
        assert_eq!(found, rounded);
    }
}
