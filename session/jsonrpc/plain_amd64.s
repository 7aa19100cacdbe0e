#include "textflag.h"

// func plainBlocks(p []byte) int
TEXT ·plainBlocks(SB), NOSPLIT, $0-32
	MOVQ p_base+0(FP), SI
	MOVQ p_len+8(FP), CX
	XORL AX, AX
	SUBQ $64, CX
	JLT  done
	MOVL $'"', DX
	MOVQ DX, X0
	MOVL $'\\', DX
	MOVQ DX, X1
	MOVL $0x1f, DX
	MOVQ DX, X2
	VPBROADCASTB X0, Y0  // From here on AVX alone: mixed with it, SSE is slow on older processors.
	VPBROADCASTB X1, Y1
	VPBROADCASTB X2, Y2

loop:
	VMOVDQU   (SI)(AX*1), Y3
	VMOVDQU   32(SI)(AX*1), Y4
	VPCMPEQB  Y3, Y0, Y5
	VPCMPEQB  Y4, Y0, Y6
	VPCMPEQB  Y3, Y1, Y7
	VPCMPEQB  Y4, Y1, Y8
	VPMINUB   Y3, Y2, Y9  // It is the byte itself where that is a control character.
	VPMINUB   Y4, Y2, Y10
	VPCMPEQB  Y3, Y9, Y9
	VPCMPEQB  Y4, Y10, Y10
	VPOR      Y3, Y5, Y5  // The highest bit of what is no ASCII is set already.
	VPOR      Y4, Y6, Y6
	VPOR      Y7, Y9, Y7
	VPOR      Y8, Y10, Y8
	VPOR      Y5, Y7, Y5
	VPOR      Y6, Y8, Y6
	VPOR      Y5, Y6, Y5
	VPMOVMSKB Y5, DX
	TESTL     DX, DX
	JNZ       clear
	ADDQ      $64, AX
	CMPQ      AX, CX
	JLE       loop

clear:
	VZEROUPPER

done:
	MOVQ AX, ret+24(FP)
	RET
